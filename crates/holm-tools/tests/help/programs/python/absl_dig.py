"""Digs holes."""
from absl import app, flags

FLAGS = flags.FLAGS
flags.DEFINE_integer("depth", 3, "How deep.", lower_bound=1)
flags.DEFINE_boolean("fill", False, "Fills the hole again.")
flags.DEFINE_enum("tool", "spade", ["spade", "drill"], "What to dig with.")
flags.DEFINE_multi_string("place", None, "Where to dig; may be given again.")


def main(argv):
    print(argv[1:], FLAGS.depth, FLAGS.fill, FLAGS.tool, FLAGS.place)


app.run(main)
