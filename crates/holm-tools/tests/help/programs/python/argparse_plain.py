"""argparse without any help texts, with switches that can be turned off."""
import argparse

parser = argparse.ArgumentParser(prog="argparse-plain")
parser.add_argument("source")
parser.add_argument("target", nargs="?")
parser.add_argument("--cache", action=argparse.BooleanOptionalAction, help="keeps what was fetched", default=True)
parser.add_argument("--ratio", type=float)
parser.add_argument("--mode", choices=["fast", "exact"], required=True)
parser.add_argument("-q", action="store_true")
parser.add_argument("kind", choices=["a", "b"])
print(parser.parse_args())
