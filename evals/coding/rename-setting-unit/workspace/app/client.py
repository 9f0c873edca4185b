"""Options for requests."""


def request_options(settings):
    """Return the options of a request; the HTTP library expects seconds."""
    return {"url": f"https://{settings.host}/", "timeout": settings.timeout / 1000}
