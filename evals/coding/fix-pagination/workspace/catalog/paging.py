"""Splits a list of results into pages. Page numbers start at 1."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    items: list
    number: int
    pages: int
    has_next: bool


def page_count(total, size):
    """Return the number of pages for `total` items. An empty list has one empty page."""
    return total // size + 1


def paginate(items, number, size=20):
    """Return page `number` of `items`, with at most `size` items."""
    if size < 1:
        raise ValueError("size must be at least 1")
    pages = page_count(len(items), size)
    if not 1 <= number <= pages:
        raise IndexError(f"page {number} is not in 1..{pages}")
    start = (number - 1) * size
    return Page(items[start:start + size], number, pages, number < pages)
