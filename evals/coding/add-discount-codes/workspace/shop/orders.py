"""Orders. All amounts are in cents."""

from dataclasses import dataclass, field


@dataclass
class Line:
    name: str
    price: int
    quantity: int = 1

    def amount(self):
        return self.price * self.quantity


@dataclass
class Order:
    lines: list = field(default_factory=list)

    def subtotal(self):
        return sum(line.amount() for line in self.lines)

    def total(self):
        return self.subtotal()
