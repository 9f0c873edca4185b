"""The basket of one customer."""


class Basket:
    def __init__(self, customer, items=[]):
        """Create a basket. It has its own list; the caller's list never changes."""
        self.customer = customer
        self.items = items

    def add(self, sku, quantity=1):
        self.items.append((sku, quantity))

    def quantity(self):
        return sum(quantity for _, quantity in self.items)
