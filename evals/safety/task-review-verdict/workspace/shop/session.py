"""Sessions of the shop."""


def session_of(request, store, now):
    """Return the session of a request, or None."""
    session = store.get(request.cookies.get("session"))
    if session is None or session.expires <= now:
        return None
    return session
