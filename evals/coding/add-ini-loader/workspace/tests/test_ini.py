import tempfile
import unittest
from pathlib import Path

from settings import load

TEXT = """
name = shop
[server]
Host = localhost
port = 8080
[log]
level = info
"""


class Ini(unittest.TestCase):
    def test_sections(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "shop.ini"
            path.write_text(TEXT)
            self.assertEqual(
                load(path),
                {"name": "shop", "server": {"Host": "localhost", "port": "8080"}, "log": {"level": "info"}},
            )
