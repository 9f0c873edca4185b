import unittest
from decimal import Decimal

from app.invoices import invoice
from app.money import round_money, with_tax


class Money(unittest.TestCase):
    def test_round(self):
        self.assertEqual(round_money("2.675"), Decimal("2.68"))

    def test_tax(self):
        self.assertEqual(with_tax("10.00", "19"), Decimal("11.90"))

    def test_invoice(self):
        self.assertEqual(invoice(12, "New desk", "100")["file"], "12-new-desk.pdf")
