"""Reads JSON."""

import json


def load_json(text):
    """Return the settings in a JSON text. It must be an object."""
    settings = json.loads(text)
    if not isinstance(settings, dict):
        raise ValueError("a settings file must contain a JSON object")
    return settings
