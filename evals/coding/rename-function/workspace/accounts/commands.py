"""Commands for support, by name."""

import accounts

COMMANDS = {
    "show": "get_usr",
}


def run(command, store, user_id):
    """Run a command. The table has names, so that plugins can replace functions."""
    return getattr(accounts, COMMANDS[command])(store, user_id)
