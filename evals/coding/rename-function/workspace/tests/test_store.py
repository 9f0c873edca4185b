import unittest

from accounts import UserStore, find_user
from accounts.web import get_usr_agent, profile

STORE = UserStore([{"id": 7, "name": "support"}])


class Store(unittest.TestCase):
    def test_find_user(self):
        self.assertEqual(find_user(STORE, 7)["name"], "support")
        with self.assertRaises(KeyError):
            find_user(STORE, 8)

    def test_profile(self):
        self.assertEqual(profile(STORE, 7, {"User-Agent": "Firefox/140"}), {"name": "support", "browser": "Firefox"})

    def test_agent(self):
        self.assertEqual(get_usr_agent({}), "unknown")
