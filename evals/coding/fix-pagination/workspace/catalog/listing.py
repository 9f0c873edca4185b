"""Shows a page of products as text."""

from catalog.paging import paginate


def summary(page, total, size):
    """Return the line above the list, such as `1-20 of 45 products`."""
    if total == 0:
        return "no products"
    first = (page.number - 1) * size + 1
    last = page.number * size
    return f"{first}-{last} of {total} products"


def listing(products, number, size=20):
    """Return the text of one page: the summary, then one product per line."""
    page = paginate(products, number, size)
    return "\n".join([summary(page, len(products), size), *page.items])
