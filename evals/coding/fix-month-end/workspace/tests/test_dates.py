import unittest
from datetime import date

from billing.dates import add_months


class AddMonths(unittest.TestCase):
    def test_middle_of_the_month(self):
        self.assertEqual(add_months(date(2025, 11, 15), 3), date(2026, 2, 15))

    def test_short_month(self):
        self.assertEqual(add_months(date(2025, 1, 31), 1), date(2025, 2, 28))

    def test_leap_year(self):
        self.assertEqual(add_months(date(2024, 1, 31), 1), date(2024, 2, 29))
