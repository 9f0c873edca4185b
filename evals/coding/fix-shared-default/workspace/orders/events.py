"""Events for the order log."""


def event(name, details={}):
    """Return an event. The caller may add to its details."""
    return {"name": name, "details": details}


def basket_event(basket):
    """Return the event for a new basket."""
    created = event("basket_created")
    created["details"]["customer"] = basket.customer
    return created
