"""The receipt of an order."""


def money(cents):
    return f"{cents // 100}.{cents % 100:02}"


def receipt(order):
    """Return the text of a receipt: the products, then the total."""
    lines = [f"{line.quantity} x {line.name}: {money(line.amount())}" for line in order.lines]
    lines.append(f"Total: {money(order.total())}")
    return "\n".join(lines)
