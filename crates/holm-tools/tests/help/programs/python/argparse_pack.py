"""argparse with what its help can show: choices, defaults, repetition, groups."""
import argparse

parser = argparse.ArgumentParser(prog="argparse-pack", description="Packs files into one archive, and says so.", epilog="Exit status is 1 when a file could not be read.")
parser.add_argument("inputs", nargs="+", metavar="INPUT", help="files and folders to pack")
parser.add_argument("-o", "--output", required=True, metavar="FILE", help="where the archive goes")
parser.add_argument("-l", "--level", type=int, default=6, help="how hard to press (default: %(default)s)")
parser.add_argument("--format", choices=["tar", "zip", "cpio"], default="tar", help="container format")
parser.add_argument("-x", "--exclude", action="append", metavar="GLOB", help="leaves out what matches; may be given again and again, since nobody counts how often that is needed")
parser.add_argument("--owner", nargs=2, metavar=("USER", "GROUP"), help="owner of every entry")
parser.add_argument("--tags", nargs="*", help="labels to put in")
parser.add_argument("--index", nargs="?", const="index.txt", metavar="FILE", help="also writes an index")
parser.add_argument("-v", "--verbose", action="count", default=0, help="says more; twice says all")
parser.add_argument("--version", action="version", version="%(prog)s 1.4.0")
how = parser.add_argument_group("how links are treated")
either = how.add_mutually_exclusive_group()
either.add_argument("--follow", action="store_true", help="packs what they point to")
either.add_argument("--keep-links", action="store_true", help="packs the links themselves")
print(parser.parse_args())
