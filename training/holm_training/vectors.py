"""Writes test vectors for hosts: `python3 -m holm_training.vectors > vectors.json`."""

import json
import sys

from . import protocol
from .generate import evaluation

EACH = 2
"""Episodes of each category; every learned turn becomes a vector."""


def vectors(seed=2):
    """Episode, turn, the exact prompt, and the reply that is right."""
    seen, out = {}, []
    for episode in evaluation(seed):
        seen[episode["category"]] = seen.get(episode["category"], 0) + 1
        if seen[episode["category"]] > EACH:
            continue
        for at, turn in enumerate(episode["turns"]):
            if turn.get("learn"):
                out.append(
                    {
                        "episode": episode,
                        "turn": at,
                        "prompt": protocol.prompt(episode, at),
                        "reply": turn["content"],
                    }
                )
    return out


if __name__ == "__main__":
    json.dump(vectors(), sys.stdout, ensure_ascii=False, indent=1)
    print()
