"""Keeps plain talk alive: the base model answers plain questions itself, and the adapter learns to answer the same."""

from . import talk
from .catalogue import Catalogue, Pool
from .model import generate
from .prng import Rng
from .workshop import Workshop

LONGEST = 64
BATCH = 400
SHOWN = 0.6
"""Share of plain questions that stand beside tools none of which is meant."""


def distilled(model, text, seed, count):
    """Episodes of plain talk whose replies are the base model's own."""
    questions = talk.chat_prompts()
    replies = answers(model, text, questions, None)
    pairs = [(question, reply) for question, reply in zip(questions, replies) if reply]
    rng, pool = Rng.named(seed, "chat"), Pool(held=False)
    for _ in range(count):
        question, reply = rng.pick(pairs)
        tools = []
        if rng.chance(SHOWN):
            members = [
                kind
                for kind in pool.beside(pool.target(rng), rng.between(2, 9), rng, missing=True)
                if kind.domain not in ("world", "leisure")
            ]
            tools = Workshop(rng, ()).tools if rng.chance(0.25) else Catalogue(members, rng).tools
        turns = [
            {"role": "user", "content": question},
            {"role": "assistant", "content": reply, "learn": True, "expect": {"type": "chat"}},
        ]
        yield {
            "category": "chat",
            "form": "compact",
            "system": rng.pick(["", "", "You are a helpful agent."]),
            "tools": tools,
            "turns": turns,
        }


def answers(model, text, questions, adapt, tools=()):
    """Greedy replies to plain questions, cut to whole sentences."""
    out = []
    for at in range(0, len(questions), BATCH):
        prompts = [
            text.prompt(
                {"tools": list(tools), "system": "", "turns": [{"role": "user", "content": question}]}, 1
            )
            for question in questions[at : at + BATCH]
        ]
        for ids in generate(model, prompts, adapt, LONGEST, text.end):
            out.append(_whole(text.decode(ids).strip(), len(ids) >= LONGEST))
    return out


def _whole(reply, cut):
    if not cut:
        return reply
    end = max(reply.rfind(mark) for mark in ".!?")
    return reply[: end + 1]
