"""Runs the examples: each folder by the commands of its own README, against a provider on this machine.

    run.py --built FOLDER NAME...      FOLDER has the built commands; `web` are the examples that need the npm packages,
                                       `native` are all others

A folder without a test fails, and so does a test without its folder.
"""

import argparse
import sys
import traceback
from pathlib import Path

from cases import CASES, WEB
from stage import EXAMPLES, Failure, Stage, check

# Small programs for the library, which scripts/test-examples builds and runs by themselves.
OTHERS = {"rust"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--built", type=Path, required=True)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()} - OTHERS
    if lost := sorted(set(CASES) - folders):
        sys.exit(f"error: examples/{lost[0]} is missing\n  hint: put it back, or take its test out of tests/examples/cases.py")
    if untested := sorted(folders - set(CASES)):
        sys.exit(f"error: examples/{untested[0]} has no test\n  hint: add one to tests/examples/cases.py")
    index = (EXAMPLES / "README.md").read_text()
    for name in sorted(folders):
        if f"]({name}/README.md)" not in index:
            sys.exit(f"error: examples/README.md does not name {name}\n  hint: add a line with a link to {name}/README.md")
    groups = {"web": [name for name in CASES if name in WEB], "native": [name for name in CASES if name not in WEB]}
    for name in [one for name in options.names for one in groups.get(name, [name])]:
        if name not in CASES:
            sys.exit(f"error: there is no example {name}\n  hint: one of {', '.join(CASES)}")
        print(f"{name:26} ", end="", flush=True)
        if not passes(name, options.built.resolve()):
            sys.exit(1)
        print("ok", flush=True)


def passes(name, built):
    case = CASES[name]()
    stage = Stage(name, built, case.answer)
    try:
        case.run(stage)
        check(not stage.double.faults, f"the provider was asked wrongly: {stage.double.faults}")
        return True
    except Failure as failure:
        print(f"failed\n{failure}", file=sys.stderr)
    except Exception:
        print("failed", file=sys.stderr)
        traceback.print_exc()
    finally:
        stage.close()
    print(f"Server:\n{''.join(stage.said)}\nProvider: {stage.double.faults or 'no faults'}", file=sys.stderr)
    return False


main()
