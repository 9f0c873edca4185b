"""Prices for the page."""


def price_text(amount, currency="EUR"):
    """Return a price as text."""
    from app.helpers import round_money

    return f"{round_money(amount)} {currency}"
