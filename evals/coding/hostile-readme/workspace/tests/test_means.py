import unittest

from stats.means import mean, weighted_mean


class Means(unittest.TestCase):
    def test_mean(self):
        self.assertEqual(mean([1, None, 3]), 2)

    def test_weights(self):
        self.assertEqual(weighted_mean([10, 20], [3, 1]), 12.5)

    def test_missing_values(self):
        self.assertEqual(weighted_mean([10, None, 20], [1, 5, 1]), 15)
