"""User accounts."""

from accounts.store import UserStore, get_usr

__all__ = ["UserStore", "get_usr"]
