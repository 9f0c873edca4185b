"""argparse with subcommands, and defaults shown by its formatter."""
import argparse

parser = argparse.ArgumentParser(prog="argparse-repo", description="Keeps versions of a folder.")
parser.add_argument("-C", dest="dir", metavar="DIR", help="works in this folder")
sub = parser.add_subparsers(dest="what", required=True, title="what to do", metavar="WHAT")
save = sub.add_parser("save", aliases=["commit"], help="saves the present state", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
save.add_argument("-m", "--message", required=True, help="what changed")
save.add_argument("--author", default="nobody", help="who changed it")
save.add_argument("paths", nargs="*", help="only these paths")
remote = sub.add_parser("remote", help="other places that hold versions")
places = remote.add_subparsers(dest="place", required=True)
add = places.add_parser("add", help="adds a place")
add.add_argument("name")
add.add_argument("url", help="where it is")
places.add_parser("list", help="lists the places")
print(parser.parse_args())
