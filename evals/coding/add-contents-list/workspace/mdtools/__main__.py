"""The command line."""

import argparse
from pathlib import Path

from mdtools.headings import headings


def main():
    parser = argparse.ArgumentParser(prog="mdtools")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("headings").add_argument("file", type=Path)
    options = parser.parse_args()

    text = options.file.read_text(encoding="utf-8")
    if options.command == "headings":
        for level, title in headings(text):
            print(level, title)


main()
