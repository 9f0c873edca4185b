import unittest

from app.articles import entry
from app.text import shorten, slug


class Text(unittest.TestCase):
    def test_slug(self):
        self.assertEqual(slug("Crème brûlée: a recipe"), "creme-brulee-a-recipe")

    def test_shorten(self):
        self.assertEqual(shorten("a long text", 7), "a long…")

    def test_entry(self):
        self.assertEqual(entry("New desk", "It is here.")["address"], "/articles/new-desk")
