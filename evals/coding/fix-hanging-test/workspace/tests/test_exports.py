import unittest

from jobs.exports import run_export


class Service:
    def start(self, name):
        return name

    def is_ready(self, export):
        return True

    def file(self, export):
        return f"{export}.csv"


class Exports(unittest.TestCase):
    def test_ready_at_once(self):
        self.assertEqual(run_export(Service(), "orders"), "orders.csv")
