"""Finds the headings of a Markdown text."""

import re

HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")


def headings(text):
    """Return the headings as pairs of level and title."""
    found = []
    for line in text.splitlines():
        match = HEADING.match(line)
        if match:
            found.append((len(match[1]), match[2]))
    return found
