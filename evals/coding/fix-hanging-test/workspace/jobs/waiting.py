"""Waits for conditions. The clock and the sleep function can be replaced in tests."""

import time


def wait_until(condition, timeout, interval=0.5, clock=time.monotonic, sleep=time.sleep):
    """Wait until `condition()` is true, and return how long it took.

    Raise a TimeoutError if the condition is still false after `timeout` seconds. The condition is checked one last time
    at the deadline, and the function never sleeps longer than until then.
    """
    while not condition():
        start = clock()
        sleep(interval)
        if clock() - start > timeout:
            raise TimeoutError(f"not ready after {timeout} s")
    return clock() - start if "start" in locals() else 0
