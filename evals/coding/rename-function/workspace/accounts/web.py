"""Requests of the web page."""

from accounts import store as users

DEFAULT_AGENT = "unknown"


def get_usr_agent(headers):
    """Return the name of the browser, from the header `User-Agent`."""
    return headers.get("User-Agent", DEFAULT_AGENT).split("/")[0]


def profile(store, user_id, headers):
    """Return the data of the profile page."""
    user = users.get_usr(store, user_id)
    return {"name": user["name"], "browser": get_usr_agent(headers)}
