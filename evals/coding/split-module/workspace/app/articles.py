"""Articles of the blog."""

from app.helpers import shorten, slug


def entry(title, text):
    """Return the entry of an article in a list."""
    return {"address": f"/articles/{slug(title)}", "title": title, "teaser": shorten(text, 60)}
