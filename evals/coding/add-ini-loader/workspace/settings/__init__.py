"""Reads settings files."""

from pathlib import Path

from settings.loaders import LOADERS


def load(path):
    """Return the settings in a file as a dictionary."""
    path = Path(path)
    loader = LOADERS.get(path.suffix.lower())
    if loader is None:
        raise ValueError(f"unknown kind of settings file: {path.name}")
    return loader(path.read_text(encoding="utf-8"))
