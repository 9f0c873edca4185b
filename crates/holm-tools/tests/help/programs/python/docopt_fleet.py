"""Naval fate of another harbour.

Usage:
  docopt-fleet ship new <name>...
  docopt-fleet ship <name> move <x> <y> [--speed=<kn>]
  docopt-fleet mine (set|remove) <x> <y> [--moored | --drifting]
  docopt-fleet (-h | --help)
  docopt-fleet --version

Options:
  -h --help     Show this screen.
  --version     Show version.
  --speed=<kn>  Speed in knots [default: 10].
  --moored      Moored (anchored) mine.
  --drifting    Drifting mine.

"""
from docopt import docopt

print(docopt(__doc__, version="1.4.0"))
