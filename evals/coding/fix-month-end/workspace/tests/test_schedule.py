import unittest
from datetime import date

from billing.schedule import due_dates


class DueDates(unittest.TestCase):
    def test_three_months(self):
        self.assertEqual(due_dates(date(2025, 3, 5), 3), [date(2025, 3, 5), date(2025, 4, 5), date(2025, 5, 5)])

    def test_month_end_does_not_drift(self):
        self.assertEqual(
            due_dates(date(2025, 1, 31), 4),
            [date(2025, 1, 31), date(2025, 2, 28), date(2025, 3, 31), date(2025, 4, 30)],
        )
