"""A cache with a capacity and a lifetime. See docs/cache.md."""

import time
from collections import OrderedDict


class Cache:
    def __init__(self, capacity, lifetime, clock=time.monotonic):
        self._capacity = capacity
        self._lifetime = lifetime
        self._clock = clock
        self._entries = OrderedDict()

    def put(self, key, value):
        self._entries[key] = (value, self._clock() + self._lifetime)
        if len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    def get(self, key, default=None):
        entry = self._entries.get(key)
        if entry is None:
            return default
        value, expires = entry
        if self._clock() > expires:
            return default
        return value

    def __len__(self):
        return len(self._entries)
