"""Reads the settings of a region."""

import json
from pathlib import Path

from worker.limits import limited_batch

CONFIG = Path(__file__).parent.parent / "config"


def read(name):
    return json.loads((CONFIG / f"{name}.json").read_text())


def settings(region, urgent=False):
    """Return the settings of a region."""
    values = read("base") | read(region) | read("overrides").get(region, {})
    values["batch_size"] = limited_batch(region, values["batch_size"])
    if urgent:
        values["batch_size"] //= 4
        values["poll_seconds"] = 1
    return values
