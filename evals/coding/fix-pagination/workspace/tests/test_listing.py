import unittest

from catalog.listing import listing


class Listing(unittest.TestCase):
    def test_first_page(self):
        self.assertTrue(listing(["lamp", "desk", "chair"], 1, 2).startswith("1-2 of 3 products"))

    def test_last_page(self):
        self.assertEqual(listing(["lamp", "desk", "chair"], 2, 2), "3-3 of 3 products\nchair")
