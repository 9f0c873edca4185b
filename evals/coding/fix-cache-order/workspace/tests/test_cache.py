import unittest

from store.cache import Cache


class FakeClock:
    def __init__(self):
        self.now = 0

    def __call__(self):
        return self.now


class CacheTest(unittest.TestCase):
    def setUp(self):
        self.clock = FakeClock()
        self.cache = Cache(capacity=2, lifetime=10, clock=self.clock)

    def test_keeps_values(self):
        self.cache.put("a", 1)
        self.assertEqual(self.cache.get("a"), 1)
        self.assertEqual(self.cache.get("b", 7), 7)

    def test_get_counts_as_use(self):
        self.cache.put("a", 1)
        self.cache.put("b", 2)
        self.cache.get("a")
        self.cache.put("c", 3)
        self.assertEqual(self.cache.get("a"), 1)
        self.assertIsNone(self.cache.get("b"))

    def test_expires(self):
        self.cache.put("a", 1)
        self.clock.now = 10
        self.assertIsNone(self.cache.get("a"))
