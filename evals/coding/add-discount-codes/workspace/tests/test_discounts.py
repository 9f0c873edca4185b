import unittest

from shop.discounts import discount
from shop.orders import Line, Order
from shop.receipt import receipt


class Discounts(unittest.TestCase):
    def test_percent(self):
        self.assertEqual(discount("WELCOME10", 4990), 499)

    def test_minimum(self):
        self.assertEqual(discount("SPRING25", 9999), 0)
        self.assertEqual(discount("SPRING25", 10000), 2500)

    def test_unknown_code(self):
        with self.assertRaisesRegex(ValueError, "SUMMER"):
            discount("SUMMER", 1000)

    def test_order(self):
        order = Order([Line("Desk lamp", 3900, 2)], code="FIVER")
        self.assertEqual(order.total(), 7300)
        self.assertEqual(receipt(order), "2 x Desk lamp: 78.00\nDiscount: -5.00\nTotal: 73.00")

    def test_order_without_code(self):
        self.assertEqual(receipt(Order([Line("Pen", 120)])), "1 x Pen: 1.20\nTotal: 1.20")
