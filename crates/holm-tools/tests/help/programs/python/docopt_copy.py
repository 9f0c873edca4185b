"""Copies files.

Usage: docopt-copy [options] <target> <source>...

Options:
  -h, --help              Show this.
  -r, --recursive         Folders too.
  -j JOBS, --jobs=JOBS    How many at once [default: 4].
  --only=GLOB             Only what matches.
  -q                      Quiet.
"""
from docopt import docopt

print(docopt(__doc__))
