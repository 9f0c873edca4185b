"""Anchors of headings."""

import re


def anchor(title):
    """Return the anchor of a title: lower case, without punctuation, with a hyphen for each space."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
