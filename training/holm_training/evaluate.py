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


def questions(episodes):
    """Every learned turn of every episode, with the right history before it."""
    for episode in episodes:
        for at, turn in enumerate(episode["turns"]):
            if turn.get("learn"):
                yield episode, at, turn["expect"]


CONTENT_FREE = ("N/A", "...", "please")
"""Requests that ask for nothing: what is likely after them is likely for no reason."""


@torch.no_grad()
def priors(model, text, items, adapt):
    """How much likelier `None` is than a call, in logits, where the same catalogue is shown and nothing is asked."""
    none, call = text.encode(protocol.NONE)[0], text.encode(OPENING)[0]
    out = []
    for episode, _, _ in items:
        cut = [{**episode, "turns": [{"role": "user", "content": free}]} for free in CONTENT_FREE]
        rows = [text.prompt(each, 1) for each in cut]
        tokens = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
        for row, ids in enumerate(rows):
            tokens[row, : len(ids)] = torch.tensor(ids)
        tokens = tokens.to(model.device)
        places = torch.arange(tokens.shape[1], device=model.device).expand_as(tokens)
        hidden = model.hidden(tokens, places, adapt)
        last = hidden[torch.arange(len(rows)), torch.tensor([len(ids) - 1 for ids in rows])]
        logits = model.logits(last).float()
        out.append((logits[:, none] - logits[:, call]).mean().item())
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
    made = replies(model, text, items, adapt, grammar, **how)
    rows = [(episode, expect, reply) for (episode, _, expect), reply in zip(items, made)]
    figures, detail = score.summary(rows)
    print(f"== {name} ({time.time() - began:.0f} s)", flush=True)
    for key, value in figures.items():
        print(f"  {key}: {value['percent']} % ({value['yes']} of {value['of']})", flush=True)
    return {"name": name, "figures": figures, "detail": detail, "replies": made}


def main(arguments=None):
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
        help="also measure with `none` and call each divided by its content-free prior",
    )
    parser.add_argument("--device", default=None)
    opt = parser.parse_args(arguments)
    device = opt.device or ("cuda" if torch.cuda.is_available() else "cpu")
    model, text = Model(opt.base, device, torch.bfloat16 if device != "cpu" else torch.float32), Text(
        opt.base
    )
    items = list(questions((errands if opt.errands else evaluation)(opt.seed)))
    if opt.only:
        items = items[:: max(1, len(items) // opt.only)]
    results = []
    if opt.adapter:
        adapter.load(model, opt.adapter)
        model.merge()
        results.append(measure(model, text, items, "adapter + grammar", "merged", True))
        for level in opt.decline:
            results.append(
                measure(
                    model,
                    text,
                    items,
                    f"adapter + grammar, declines from {level}",
                    "merged",
                    True,
                    decline=level,
                )
            )
        if opt.calibrated:
            name = "adapter + grammar, calibrated"
            results.append(measure(model, text, items, name, "merged", True, calibrated=True))
        if not opt.quick:
            results.append(measure(model, text, items, "adapter alone", "merged", False))
    if not opt.quick:
        results.append(measure(model, text, items, "base + grammar", None, True))
        results.append(
            measure(
                model, text, items, "base + grammar, call forced where one is due", None, True, forced=True
            )
        )
    talk_shown = {"base": chat.answers(model, text, talk.CHAT_EVAL, None)}
    if opt.adapter and not opt.errands:
        tools = next(evaluation(opt.seed))["tools"]
        talk_shown["adapter"] = chat.answers(model, text, talk.CHAT_EVAL, "merged")
        talk_shown["adapter, tools shown"] = chat.answers(model, text, talk.CHAT_EVAL, "merged", tools)
    for at, question in enumerate(talk.CHAT_EVAL):
        print(question, *[f"\n   {name}: {made[at]}" for name, made in talk_shown.items()])
    lines = [
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
    summary = [{key: result[key] for key in ("name", "figures", "detail")} for result in results]
    with open(opt.out, "w", encoding="utf-8") as file:
        json.dump(
            {
                "seed": opt.seed,
                "set": "errands" if opt.errands else "held",
                "adapter_sha256": adapter.sha256(opt.adapter) if opt.adapter else None,
                "results": summary,
                "chat": {"questions": talk.CHAT_EVAL, **talk_shown},
                "turns": lines,
            },
            file,
            ensure_ascii=False,
            indent=1,
        )


if __name__ == "__main__":
    main()
