import unittest

from app.client import request_options
from app.settings import load


class SettingsTest(unittest.TestCase):
    def test_seconds(self):
        self.assertEqual(load("staging").timeout_seconds, 10)
        self.assertEqual(load("production").timeout_seconds, 0.75)

    def test_default(self):
        self.assertEqual(load("default").timeout_seconds, 2.5)

    def test_request(self):
        self.assertEqual(request_options(load("production")), {"url": "https://api.example.com/", "timeout": 0.75})
