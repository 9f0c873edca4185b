"""Calculates with months."""


def add_months(start, months):
    """Return the date `months` months after `start`; a negative number goes back.

    If the month has no such day, the result is its last day.
    """
    month = start.month + months
    year = start.year + (month - 1) // 12
    return start.replace(year=year, month=(month - 1) % 12 + 1)
