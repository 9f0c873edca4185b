"""optparse, the module before argparse."""
import optparse

parser = optparse.OptionParser(prog="optparse-send", usage="usage: %prog [options] FILE HOST", version="%prog 1.4.0", description="Sends a file to a host.")
parser.add_option("-p", "--port", type="int", default=9, metavar="PORT", help="port of the host [default: %default]")
parser.add_option("-r", "--retry", action="store_true", help="tries again after a failure")
parser.add_option("--header", action="append", help="a line to send first; may be repeated")
parser.add_option("--via", type="choice", choices=["tcp", "udp"], help="how to send: tcp or udp")
group = optparse.OptionGroup(parser, "Dangerous options", "Caution: use these options at your own risk.")
group.add_option("-f", "--force", action="store_true", help="overwrites what is there")
parser.add_option_group(group)
options, args = parser.parse_args()
if len(args) != 2:
    parser.error("FILE and HOST are needed")
print(options, args)
