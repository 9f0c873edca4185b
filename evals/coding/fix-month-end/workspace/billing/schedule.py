"""Due dates of a subscription."""

from billing.dates import add_months


def due_dates(start, count, every=1):
    """Return `count` due dates, `every` months apart. The first is the start itself."""
    dates = [start]
    while len(dates) < count:
        dates.append(add_months(dates[-1], every))
    return dates[:count]
