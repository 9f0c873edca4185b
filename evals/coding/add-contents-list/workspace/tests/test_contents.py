import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TEXT = """# Guide

## Install

```sh
# not a heading
```

## Use it, now!
### Install
#### Details
"""


class Contents(unittest.TestCase):
    def run_tool(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "guide.md"
            path.write_text(TEXT)
            done = subprocess.run([sys.executable, "-m", "mdtools", "contents", path, *options], capture_output=True, text=True, check=True)
        return done.stdout

    def test_contents(self):
        self.assertEqual(
            self.run_tool(),
            "- [Guide](#guide)\n  - [Install](#install)\n  - [Use it, now!](#use-it-now)\n    - [Install](#install-1)\n",
        )

    def test_depth(self):
        self.assertEqual(self.run_tool("--depth", "1"), "- [Guide](#guide)\n")
