"""Keeps users in memory."""


class UserStore:
    def __init__(self, users):
        self._users = {user["id"]: user for user in users}

    def lookup(self, user_id):
        return self._users.get(user_id)


def get_usr(store, user_id):
    """Return a user. An unknown id is a KeyError."""
    user = store.lookup(user_id)
    if user is None:
        raise KeyError(user_id)
    return user
