import unittest

from app.uploads import problem

MEGABYTE = 1024 * 1024


class Uploads(unittest.TestCase):
    def test_limit(self):
        self.assertIsNone(problem("plan.pdf", 25 * MEGABYTE))
        self.assertEqual(problem("plan.pdf", 25 * MEGABYTE + 1), "The file is too large. The limit is 25 MB.")

    def test_other_limits(self):
        self.assertEqual(problem("plan.pdf", 1, count=11), "You can upload at most 10 files.")
        self.assertEqual(problem("x" * 121, 1), "The file name is too long.")
