"""Checks uploads."""

from app.limits import MAX_FILES, MAX_NAME_LENGTH, MAX_UPLOAD_BYTES


def problem(name, size, count=1):
    """Return the text for the user if an upload is not allowed, else None."""
    if count > MAX_FILES:
        return f"You can upload at most {MAX_FILES} files."
    if len(name) > MAX_NAME_LENGTH:
        return "The file name is too long."
    if size > MAX_UPLOAD_BYTES:
        return "The file is too large. The limit is 10 MB."
    return None
