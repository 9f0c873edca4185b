"""Checks all prices: in each region, the price per piece must not rise with the quantity."""

import json
import sys
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"
QUANTITIES = [1, 2, 3, 4, 5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100]


def read(name):
    return json.loads((DATA / name).read_text())


def price(cents, quantity, agreed):
    """Return the price per piece: one percent off for every 4 pieces, at most 12 percent, or an agreed price."""
    for entry in agreed:
        if quantity >= entry["from"]:
            return entry["cents"]
    return cents * (100 - min(quantity // 4, 12)) // 100


def main():
    overrides = read("overrides.json")
    checked = problems = 0
    for region in read("regions.json"):
        for sku, cents in read("prices.json").items():
            agreed = [entry for entry in overrides if (entry["region"], entry["sku"]) == (region, sku)]
            before = cents
            for quantity in QUANTITIES:
                now = price(cents, quantity, agreed)
                result = "rises" if now > before else "fine"
                problems += now > before
                checked += 1
                print(f"{region} {sku:<12} quantity {quantity:>3}: {before:>6} -> {now:>6} cents per piece: {result}")
                before = now
    print(f"{checked} prices checked, {problems} problem{'' if problems == 1 else 's'}")
    return 1 if problems else 0


sys.exit(main())
