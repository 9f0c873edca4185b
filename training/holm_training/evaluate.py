"""Measures base and adapter on held-out episodes: `python3 -m holm_training.evaluate --base BASE --adapter ADAPTER`."""

import argparse
import json
import time

import torch

from . import adapter, chat, protocol, score, talk
from .generate import errands, evaluation
from .grammar import OPENING, Grammar
from .model import Model, generate
from .tokens import Text

BATCH = 128
LONGEST = 110
LOOKED = 40
"""How many of the likeliest tokens are tried before the grammar names what must come."""


class Chooser:
    """Takes the likeliest token that the grammar allows."""

    def __init__(self, text, grammars, decline=0.0, priors=None):
        self.text, self.grammars, self.decline, self.priors = text, grammars, decline, priors
        self.none, self.call = text.encode(protocol.NONE)[0], text.encode(OPENING)[0]
        self.ids = {}
        for at, word in enumerate(text.words):
            if word not in text.control:
                self.ids.setdefault(text.decode([at]), at)

    def __call__(self, row, written, logits, best):
        grammar = self.grammars[row]
        if not written and best in (self.none, self.call):
            if best == self.none and logits.float().softmax(-1)[best].item() < self.decline:
                return self.call
            if self.priors:
                lean = (logits[self.none] - logits[self.call]).float().item() - self.priors[row]
                return self.none if lean > 0 else self.call
        so_far = self.text.decode(written)
        if self.fits(grammar, so_far, written, best):
            return best
        state = grammar.state(so_far)
        if state == "full":
            return self.text.end
        if isinstance(state, list):
            options = [
                self.ids[want[:n]] for want in state for n in range(1, len(want) + 1) if want[:n] in self.ids
            ]
            return max(options, key=lambda token: logits[token].item())
        for token in logits.topk(LOOKED).indices.tolist():
            if self.fits(grammar, so_far, written, token):
                return token
        return self.text.end

    def fits(self, grammar, so_far, written, token):
        if token == self.text.end:
            return grammar.state(so_far) == "full" or (bool(so_far) and not so_far.startswith("{"))
        return grammar.accepts(self.text.decode(written + [token]))


CONTENT_FREE = ("N/A", "...", "please")
"""Requests that ask for nothing: what is likely after them is likely for no reason."""


def unasked(episode):
    """The same catalogue with nothing asked, in several ways."""
    return [{**episode, "turns": [{"role": "user", "content": free}]} for free in CONTENT_FREE]


@torch.no_grad()
def states(model, rows, adapt):
    """The hidden states of token lists of any length."""
    tokens = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for row, ids in enumerate(rows):
        tokens[row, : len(ids)] = torch.tensor(ids)
    tokens = tokens.to(model.device)
    places = torch.arange(tokens.shape[1], device=model.device).expand_as(tokens)
    return model.hidden(tokens, places, adapt)


def priors(model, text, items, adapt):
    """How much likelier `None` is than a call, in logits, where the same catalogue is shown and nothing is asked."""
    none, call = text.encode(protocol.NONE)[0], text.encode(OPENING)[0]
    out = []
    for episode, _, _ in items:
        rows = [text.prompt(each, 1) for each in unasked(episode)]
        ends = torch.tensor([len(ids) - 1 for ids in rows])
        last = states(model, rows, adapt)[torch.arange(len(rows)), ends]
        logits = model.logits(last).float()
        out.append((logits[:, none] - logits[:, call]).mean().item())
    return out


@torch.no_grad()
def spelled(model, prompts, names, closing, adapt):
    """How likely each prompt makes each name (lists of tokens) and a quote after it, as logarithms: a row a prompt."""
    rows = [prompt + name for name in names for prompt in prompts]
    hidden = states(model, rows, adapt)
    out = torch.zeros(len(prompts), len(names))
    for at, ids in enumerate(rows):
        name, prompt = divmod(at, len(prompts))
        wanted = names[name]
        logits = model.logits(hidden[at, len(ids) - len(wanted) - 1 : len(ids)])
        likely = logits.float().log_softmax(-1)
        letters = likely[torch.arange(len(wanted)), torch.tensor(wanted)].sum()
        out[prompt, name] = (letters + likely[-1, closing].logsumexp(0)).item()
    return out


def renamed(model, text, items, adapt, made):
    """Replies in which every call is of the tool whose name gains most in likelihood by what was asked, beside the same
    catalogue with nothing asked; the other replies stay."""
    closing = [at for at, word in enumerate(text.words) if word.startswith('"')]
    head, other = text.encode(OPENING), {}
    for i, (episode, at, _) in enumerate(items):
        called = score.read(made[i])
        if not called or not episode["tools"]:
            continue
        names = [text.encode(tool["name"]) for tool in episode["tools"]]
        prompts = [text.prompt(episode, at), *[text.prompt(each, 1) for each in unasked(episode)]]
        likely = spelled(model, [prompt + head for prompt in prompts], names, closing, adapt)
        best = (likely[0] - likely[1:].mean(0)).argmax().item()
        if episode["tools"][best]["name"] != called[0]:
            other[i] = head + names[best]
    out, part = list(made), list(other)
    for start in range(0, len(part), BATCH):
        some = part[start : start + BATCH]
        inner = Chooser(text, [Grammar(items[i][0]["tools"]) for i in some])
        choose = lambda row, written, logits, best: inner(row, other[some[row]] + written, logits, best)
        prompts = [text.prompt(*items[i][:2]) + other[i] for i in some]
        for i, ids in zip(some, generate(model, prompts, adapt, LONGEST, text.end, choose)):
            out[i] = text.decode(other[i] + ids)
    return out


def replies(model, text, items, adapt, grammar, forced=False, decline=0.0, calibrated=False):
    """Greedy replies; `forced` opens a call for the model wherever one is expected, which no host could know."""
    out = [None] * len(items)
    free = priors(model, text, items, adapt) if calibrated else None
    prompts = [text.prompt(episode, at) for episode, at, _ in items]
    order = sorted(range(len(items)), key=lambda i: len(prompts[i]))
    for start in range(0, len(order), BATCH):
        part = order[start : start + BATCH]
        heads = [text.encode(OPENING) if forced and items[i][2]["type"] == "call" else [] for i in part]
        choose = None
        if grammar:
            inner = Chooser(
                text, [Grammar(items[i][0]["tools"]) for i in part], decline, free and [free[i] for i in part]
            )
            choose = lambda row, written, logits, best: inner(row, heads[row] + written, logits, best)
        made = generate(
            model, [prompts[i] + head for i, head in zip(part, heads)], adapt, LONGEST, text.end, choose
        )
        for i, head, ids in zip(part, heads, made):
            out[i] = text.decode(head + ids)
    return out


def measure(model, text, items, name, adapt, grammar, **how):
    began = time.time()
    return judged(items, name, replies(model, text, items, adapt, grammar, **how), began)


def judged(items, name, made, began):
    rows = [(episode, expect, reply) for (episode, _, expect), reply in zip(items, made)]
    figures, detail = score.summary(rows)
    print(f"== {name} ({time.time() - began:.0f} s)", flush=True)
    for key, value in figures.items():
        print(f"  {key}: {value['percent']} % ({value['yes']} of {value['of']})", flush=True)
    return {"name": name, "figures": figures, "detail": detail, "replies": made}


def options(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", required=True)
    parser.add_argument("--adapter")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--out", default="evaluation.json")
    parser.add_argument("--only", type=int, default=0, help="measure this many turns only")
    parser.add_argument(
        "--decline",
        type=float,
        action="append",
        default=[],
        help="also measure with `no tool fits` only where it is at least this likely",
    )
    parser.add_argument("--quick", action="store_true", help="only adapter with grammar")
    parser.add_argument("--errands", action="store_true", help="measure on the held-out errands instead")
    parser.add_argument(
        "--calibrated",
        action="store_true",
        help="also measure with `none` and a call, and with each tool's name, divided by their content-free priors",
    )
    parser.add_argument("--device", default=None)
    return parser.parse_args(arguments)


def opened(opt):
    """The model, with the adapter merged beside it where one is named, and its tokens."""
    device = opt.device or ("cuda" if torch.cuda.is_available() else "cpu")
    model = Model(opt.base, device, torch.bfloat16 if device != "cpu" else torch.float32)
    text = Text(opt.base)
    if opt.adapter:
        adapter.load(model, opt.adapter)
        model.merge()
    return model, text


def held_out(opt):
    """The turns that are asked for: an episode, where in it, and what is expected there."""
    episodes = (errands if opt.errands else evaluation)(opt.seed)
    items = [(episode, at, expect) for (_, at), episode, expect in score.questions(episodes)]
    return items[:: max(1, len(items) // opt.only)] if opt.only else items


def with_adapter(model, text, items, opt):
    """What the adapter comes to, in every way that is asked for."""
    results = [measure(model, text, items, "adapter + grammar", "merged", True)]
    for level in opt.decline:
        name = f"adapter + grammar, declines from {level}"
        results.append(measure(model, text, items, name, "merged", True, decline=level))
    if opt.calibrated:
        name = "adapter + grammar, calibrated"
        results.append(measure(model, text, items, name, "merged", True, calibrated=True))
        began, name = time.time(), "adapter + grammar, tools calibrated by name"
        made = renamed(model, text, items, "merged", results[0]["replies"])
        results.append(judged(items, name, made, began))
    if not opt.quick:
        results.append(measure(model, text, items, "adapter alone", "merged", False))
    return results


def without_adapter(model, text, items):
    """What the base comes to."""
    forced = "base + grammar, call forced where one is due"
    return [
        measure(model, text, items, "base + grammar", None, True),
        measure(model, text, items, forced, None, True, forced=True),
    ]


def chatted(model, text, opt):
    """Answers to plain questions, which are shown and not scored."""
    shown = {"base": chat.answers(model, text, talk.CHAT_EVAL, None)}
    if opt.adapter and not opt.errands:
        tools = next(evaluation(opt.seed))["tools"]
        shown["adapter"] = chat.answers(model, text, talk.CHAT_EVAL, "merged")
        shown["adapter, tools shown"] = chat.answers(model, text, talk.CHAT_EVAL, "merged", tools)
    for at, question in enumerate(talk.CHAT_EVAL):
        print(question, *[f"\n   {name}: {made[at]}" for name, made in shown.items()])
    return shown


def turns(items, results):
    """Every turn with what each way of replying made of it."""
    return [
        {
            "category": episode["category"],
            "form": episode["form"],
            "request": next(
                t["content"] for t in episode["turns"][::-1] if t["role"] == "user" or t["role"] == "tool"
            ),
            "turn": at,
            "tools": [tool["name"] for tool in episode["tools"]],
            "expected": episode["turns"][at]["content"],
            "replies": [result["replies"][i] for result in results],
        }
        for i, (episode, at, _) in enumerate(items)
    ]


def main(arguments=None):
    opt = options(arguments)
    (model, text), items = opened(opt), held_out(opt)
    results = with_adapter(model, text, items, opt) if opt.adapter else []
    if not opt.quick:
        results += without_adapter(model, text, items)
    shown = chatted(model, text, opt)
    found = {
        "seed": opt.seed,
        "set": "errands" if opt.errands else "held",
        "adapter_sha256": adapter.sha256(opt.adapter) if opt.adapter else None,
        "results": [{key: result[key] for key in ("name", "figures", "detail")} for result in results],
        "chat": {"questions": talk.CHAT_EVAL, **shown},
        "turns": turns(items, results),
    }
    with open(opt.out, "w", encoding="utf-8") as file:
        json.dump(found, file, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
