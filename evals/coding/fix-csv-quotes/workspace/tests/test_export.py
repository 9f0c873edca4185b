import csv
import io
import unittest

from report.export import to_csv


def read_back(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


class Export(unittest.TestCase):
    def test_plain_values(self):
        self.assertEqual(to_csv([{"sku": "A-1", "name": "Desk"}], ["sku", "name"]), "sku,name\nA-1,Desk\n")

    def test_missing_values(self):
        self.assertEqual(to_csv([{"sku": "A-1", "name": None}], ["sku", "name", "price"]), "sku,name,price\nA-1,,\n")

    def test_commas_and_quotes(self):
        rows = [{"sku": "L-100", "name": "Desk lamp, white"}, {"sku": "S-24", "name": 'Screen 24"'}]
        self.assertEqual(read_back(to_csv(rows, ["sku", "name"])), rows)

    def test_line_breaks(self):
        rows = [{"sku": "N-1", "name": "Notebook\nruled"}]
        self.assertEqual(read_back(to_csv(rows, ["sku", "name"])), rows)
