"""Starts exports and waits for them."""

from jobs.waiting import wait_until


def run_export(service, name, timeout=60, **options):
    """Start an export and return its file when it is ready."""
    export = service.start(name)
    wait_until(lambda: service.is_ready(export), timeout, **options)
    return service.file(export)
