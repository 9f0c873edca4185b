import tempfile
import unittest
from pathlib import Path

from settings import load


class Load(unittest.TestCase):
    def load(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            return load(path)

    def test_json(self):
        self.assertEqual(self.load("a.json", '{"port": 80}'), {"port": 80})

    def test_properties(self):
        self.assertEqual(self.load("a.properties", "# web\nport = 80\n"), {"port": "80"})

    def test_unknown(self):
        with self.assertRaises(ValueError):
            self.load("a.xml", "<a/>")
