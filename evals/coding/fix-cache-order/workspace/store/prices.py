"""Looks up prices, with a cache in front of the slow source."""

from store.cache import Cache


class Prices:
    def __init__(self, source, cache=None):
        self._source = source
        self._cache = cache or Cache(capacity=500, lifetime=60)

    def price(self, sku):
        price = self._cache.get(sku)
        if price is None:
            price = self._source(sku)
            self._cache.put(sku, price)
        return price
