"""Writes episodes as JSON lines: `python3 -m holm_training.generate --seed 1 --count 1000 --out data.jsonl`."""

import argparse
import functools
import hashlib
import json
import sys

from . import talk
from .episodes import WEIGHTS, Maker
from .prng import Rng

EVALUATION = [
    ("single_call", 150),
    ("nothing_fits", 80),
    ("call_and_answer", 40),
    ("field", 30),
    ("file_question", 30),
    ("list_then_read", 20),
    ("listing", 20),
    ("chain", 20),
    ("correction", 20),
    ("failure", 30),
    ("injection", 60),
    ("refusal", 20),
    ("greeting", 20),
    ("by_shell", 20),
    ("follow_up", 40),
]
"""What the held-out set is made of."""
ERRANDS = 240
"""Held-out errands."""


def training(seed, start, count):
    """Episodes `start` to `start + count` of a seed; each depends on its own number alone, so any part can be made anywhere."""
    known = maker()
    for index in range(start, start + count):
        rng = Rng.named(seed, "train", index)
        yield known.make(rng.weighted(WEIGHTS), rng)


@functools.cache
def maker():
    """Training's maker takes seconds to set up, so a process makes one."""
    return Maker(held=False)


def evaluation(seed):
    """The held-out episodes: tools, wordings, names and values that training never shows."""
    maker = Maker(held=True)
    for category, count in EVALUATION:
        for index in range(count):
            yield maker.make(category, Rng.named(seed, "held", category, index))


def errands(seed):
    """Held-out work with Holm's own tools, in the shape in which its host shows them."""
    made = Maker(held=True)
    for index in range(ERRANDS):
        yield made.make("errand", Rng.named(seed, "errands", index))


def plain_talk(seed):
    """The fixed plain questions: without tools, and then with tools on offer of which none is meant."""
    for tools in ([], next(evaluation(seed))["tools"]):
        for question in talk.CHAT_EVAL:
            turns = [
                {"role": "user", "content": question},
                {"role": "assistant", "content": "", "learn": True, "expect": {"type": "chat"}},
            ]
            yield {"category": "chat", "form": "compact", "system": "", "tools": tools, "turns": turns}


SETS = {"held": evaluation, "errands": errands, "chat": plain_talk}
"""What a model is measured on, by name."""


def line(episode):
    """One episode as the bytes of one line."""
    return json.dumps(episode, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--held", action="store_true", help="write the held-out set instead")
    parser.add_argument("--errands", action="store_true", help="write the held-out errands instead")
    parser.add_argument("--chat", action="store_true", help="write the fixed plain questions instead")
    parser.add_argument("--out", default="-")
    options = parser.parse_args(arguments)
    source = training(options.seed, 0, options.count)
    for name, make in SETS.items():
        if getattr(options, name):
            source = make(options.seed)
    digest = hashlib.sha256()
    out = sys.stdout if options.out == "-" else open(options.out, "w", encoding="utf-8", newline="\n")
    for episode in source:
        text = line(episode)
        digest.update(text.encode())
        out.write(text)
    if out is not sys.stdout:
        out.close()
    print(f"sha256 {digest.hexdigest()}", file=sys.stderr)


if __name__ == "__main__":
    main()
