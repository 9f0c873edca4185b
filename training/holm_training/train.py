"""Trains the adapter: `python3 -m holm_training.train --base SmolLM2-135M-Instruct.Q4_1.gguf --out adapter.gguf`."""

import argparse
import json
import math
import multiprocessing
import os
import time

import numpy as np

SETTLED = 180
"""Steps after which the speed is known; two thirds of them may go to compiling."""
SHARD = 2000
"""Episodes that one process makes at a time."""
PLACES = 75_000
"""Tokens of a batch, padding counted: batches of long episodes have fewer, so that memory is bounded."""


def options(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", required=True, help="the GGUF file of the base model")
    parser.add_argument("--out", default="adapter.gguf")
    parser.add_argument("--curve", default="curve.jsonl", help="where the loss is written, step by step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--batch", type=int, default=96, help="episodes in a step")
    parser.add_argument("--rank", type=int, default=32)
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--rate", type=float, default=2.5e-3)
    parser.add_argument("--warmup", type=int, default=60)
    parser.add_argument(
        "--first",
        type=int,
        default=0,
        help="number of the first episode, to go on with episodes not seen yet",
    )
    parser.add_argument("--init", help="an adapter to start from")
    parser.add_argument("--chat", type=float, default=0.05, help="share of plain talk")
    parser.add_argument(
        "--seconds", type=float, default=0, help="stop after this long, with the schedule bent to end there"
    )
    parser.add_argument("--device", default=None)
    parser.add_argument("--compile", action="store_true", help="fuse a layer's kernels; needs a C compiler")
    return parser.parse_args(arguments)


def shard(job):
    """Makes and encodes some episodes; runs in a process of its own."""
    base, seed, start, count = job
    from .generate import training
    from .tokens import Text

    text = shard.text = getattr(shard, "text", None) or Text(base)
    return [encoded(text, episode) for episode in training(seed, start, count)]


def encoded(text, episode):
    ids, learn = text.episode(episode)
    return np.array(ids, dtype=np.uint16), np.array(learn, dtype=bool)


def episodes(opt, count):
    """All training episodes as tokens, in their order, made on all cores."""
    jobs = [
        (opt.base, opt.seed, opt.first + start, min(SHARD, count - start)) for start in range(0, count, SHARD)
    ]
    from .generate import maker

    maker()  # Before the fork, so that all processes share it.
    with multiprocessing.get_context("fork").Pool(max(1, (os.cpu_count() or 2) - 1)) as pool:
        return [row for part in pool.imap(shard, jobs) for row in part]


def batches(rows, size, seed):
    """Batches of similar length in random order: little padding, and no order that teaches anything."""
    from .prng import Rng

    rng = Rng.named(seed, "batches")
    order = rng.shuffled(range(len(rows)))
    out, window = [], size * 40
    for at in range(0, len(order), window):
        batch = []
        for row in sorted(order[at : at + window], key=lambda row: len(rows[row][0])):
            if len(batch) == size or (len(batch) + 1) * len(rows[row][0]) > PLACES:
                out.append(batch)
                batch = []
            batch.append(row)
    return rng.shuffled(out)


def tensors(rows, device):
    """A batch, padded on the right: later places never look at the padding, and nothing is learned there."""
    import torch

    length = -(-max(len(ids) for ids, _ in rows) // 32) * 32
    tokens = np.zeros((len(rows), length), dtype=np.int64)
    learn = np.zeros((len(rows), length), dtype=bool)
    for row, (ids, marks) in enumerate(rows):
        tokens[row, : len(ids)] = ids
        learn[row, : len(ids)] = marks
    return torch.from_numpy(tokens).to(device), torch.from_numpy(learn).to(device)


def loss_of(model, tokens, learn):
    """Cross-entropy of the learned tokens; the vocabulary is only scored where something is learned."""
    import torch
    import torch.nn.functional as F

    positions = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
    hidden = model.hidden(tokens, positions, "train")
    wanted = learn[:, 1:]
    logits = model.logits(hidden[:, :-1][wanted])
    return F.cross_entropy(logits.float(), tokens[:, 1:][wanted])


def rate(step, opt, total):
    """Linear warm-up, then a cosine down to a twentieth."""
    if step < opt.warmup:
        return opt.rate * (step + 1) / opt.warmup
    done = min(1.0, (step - opt.warmup) / max(1, total - opt.warmup))
    return opt.rate * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done)))


def main(arguments=None):
    opt = options(arguments)
    began = time.time()
    rows = episodes(opt, int(opt.steps * opt.batch * (1 - opt.chat)))
    print(
        f"{len(rows)} episodes, {sum(len(ids) for ids, _ in rows)} tokens, {time.time() - began:.0f} s",
        flush=True,
    )

    import torch
    from . import adapter, chat
    from .model import Model
    from .tokens import Text

    device = opt.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(opt.seed)
    model = Model(opt.base, device, torch.bfloat16 if device != "cpu" else torch.float32)
    text = Text(opt.base)
    rows += [
        encoded(text, episode)
        for episode in chat.distilled(model, text, opt.seed, opt.steps * opt.batch - len(rows))
    ]
    print(f"with plain talk {len(rows)} episodes, {time.time() - began:.0f} s", flush=True)
    model.add_adapter(opt.rank, opt.alpha, opt.seed)
    if opt.init:
        adapter.load(model, opt.init)
    if opt.compile:
        model.fuse()
    steps = run(opt, model, rows, batches(rows, opt.batch, opt.seed))
    before = f", begun from adapter {adapter.sha256(opt.init)}" if opt.init else ""
    note = f"LoRA rank {opt.rank}, {steps} steps of {opt.batch} generated episodes, seed {opt.seed}, first episode {opt.first}, rate {opt.rate}{before}"
    adapter.save(model, opt.out, opt.alpha, opt.base, note)
    print(
        f"{opt.out}: {os.path.getsize(opt.out)} bytes, sha256 {adapter.sha256(opt.out)}, {time.time() - began:.0f} s in all",
        flush=True,
    )


def run(opt, model, rows, plan):
    """The training loop; the curve is written as it goes. Returns how many steps were made."""
    import torch

    parameters = list(model.lora.values())
    optimizer = torch.optim.AdamW(
        parameters, lr=opt.rate, betas=(0.9, 0.98), weight_decay=0.0, fused=model.device.type == "cuda"
    )
    began, total, recent = time.time(), len(plan), []
    with open(opt.curve, "w", encoding="utf-8") as curve:
        for step, part in enumerate(plan):
            if step == SETTLED // 3 * 2:
                since = time.time()
            if opt.seconds and step == SETTLED:
                spent = (time.time() - since) / (SETTLED - SETTLED // 3 * 2)
                total = min(total, step + int((opt.seconds - (time.time() - began)) / spent))
                print(f"{spent:.3f} s a step, {total} steps", flush=True)
            if step >= total:
                break
            for group in optimizer.param_groups:
                group["lr"] = rate(step, opt, total)
            loss = loss_of(model, *tensors([rows[row] for row in part], model.device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            recent.append(loss.detach())
            if step % 20 == 19 or step == total - 1:
                mean = torch.stack(recent).mean().item()
                recent.clear()
                entry = {
                    "step": step + 1,
                    "loss": round(mean, 5),
                    "rate": round(rate(step, opt, total), 7),
                    "seconds": round(time.time() - began, 1),
                }
                curve.write(json.dumps(entry) + "\n")
                curve.flush()
                if step % 100 == 99 or step == total - 1:
                    print(json.dumps(entry), flush=True)
    return total


if __name__ == "__main__":
    main()
