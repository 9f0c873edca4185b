import unittest

from jobs.waiting import wait_until


class FakeTime:
    def __init__(self):
        self.now = 100.0

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class WaitUntil(unittest.TestCase):
    def setUp(self):
        self.time = FakeTime()

    def wait(self, condition, timeout, interval=0.5):
        return wait_until(condition, timeout, interval, self.time.clock, self.time.sleep)

    def test_ready_at_once(self):
        self.assertEqual(self.wait(lambda: True, 10), 0)

    def test_ready_later(self):
        self.assertEqual(self.wait(lambda: self.time.now >= 103, 10), 3)

    def test_timeout(self):
        with self.assertRaises(TimeoutError):
            self.wait(lambda: False, 10)
        self.assertEqual(self.time.now, 110)
