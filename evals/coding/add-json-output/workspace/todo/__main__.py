"""The command line."""

import argparse
import os
import sys

from todo import views
from todo.store import TaskStore


def main(arguments=None, output=sys.stdout):
    parser = argparse.ArgumentParser(prog="todo")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("add").add_argument("text")
    commands.add_parser("done").add_argument("id", type=int)
    listing = commands.add_parser("list")
    listing.add_argument("--open", action="store_true", help="only tasks that are not done")
    options = parser.parse_args(arguments)

    store = TaskStore(os.environ.get("TODO_FILE", "tasks.json"))
    if options.command == "add":
        store.add(options.text)
    elif options.command == "done":
        store.finish(options.id)
    else:
        tasks = [task for task in store.tasks() if not (options.open and task.done)]
        print(views.as_text(tasks), file=output)


if __name__ == "__main__":
    main()
