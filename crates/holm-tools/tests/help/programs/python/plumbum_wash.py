"""plumbum's cli."""
from plumbum import cli


class Wash(cli.Application):
    """Washes clothes"""

    PROGNAME = "plumbum-wash"
    VERSION = "1.4.0"
    spin = cli.SwitchAttr(["s", "spin"], int, default=800, help="Turns a minute")
    eco = cli.Flag(["eco"], help="Saves water")
    kind = cli.SwitchAttr("--kind", cli.Set("cotton", "wool"), mandatory=True, help="What is washed")

    def main(self, load, *more):
        print(load, more, self.spin, self.eco, self.kind)


Wash.run()
