"""Reads the settings of an environment."""

import json
from dataclasses import dataclass
from pathlib import Path

CONFIG = Path(__file__).parent.parent / "config"


@dataclass(frozen=True)
class Settings:
    host: str
    timeout: int
    retries: int


def load(environment, folder=CONFIG):
    """Return the settings of an environment, with defaults from default.json."""
    values = {}
    for name in ("default", environment):
        values.update(json.loads((Path(folder) / f"{name}.json").read_text()))
    return Settings(**values)
