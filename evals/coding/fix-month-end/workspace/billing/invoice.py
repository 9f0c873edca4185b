"""The text of an invoice."""


def period(first, last):
    """Return the text for a billing period."""
    return f"{first.isoformat()} to {last.isoformat()}"
