"""Limits for requests."""

MEGABYTE = 1024 * 1024

MAX_FILES = 10
MAX_UPLOAD_BYTES = 10*MEGABYTE    # per file
MAX_NAME_LENGTH = 10 * 12
