"""Reads `key = value` lines."""


def load_properties(text):
    """Return the settings in a text of `key = value` lines. Lines that start with `#` are comments."""
    settings = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        key, separator, value = line.partition("=")
        if not separator:
            raise ValueError(f"line {number}: `=` is missing")
        settings[key.strip()] = value.strip()
    return settings
