import unittest

from orders.basket import Basket
from orders.shipping import parcels


class Orders(unittest.TestCase):
    def test_quantity(self):
        self.assertEqual(Basket("c-1", [("L-100", 2), ("S-24", 1)]).quantity(), 3)

    def test_baskets_are_separate(self):
        first = Basket("c-1")
        first.add("L-100")
        self.assertEqual(Basket("c-2").items, [])

    def test_parcels(self):
        self.assertEqual(parcels(Basket("c-1", [("A", 3)]), 2), [["A", "A"], ["A"]])
