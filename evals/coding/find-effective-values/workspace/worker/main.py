"""Starts a worker: `python3 -m worker.main REGION [QUEUE]`."""

import sys

from worker.settings import settings

URGENT_QUEUES = {"payments", "alerts"}


def worker_settings(region, queue="default"):
    return settings(region, urgent=queue in URGENT_QUEUES)


if __name__ == "__main__":
    print(worker_settings(*sys.argv[1:]))
