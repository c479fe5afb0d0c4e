"""Computes on the Dask cluster at the address, with the credentials that the environment names, and prints JSON."""

import json
import sys

from distributed import Client

address, workers = sys.argv[1], int(sys.argv[2])


def square(number):
    return number * number


def compute_from_a_task():
    """What a task does that opens a client of its own."""
    from distributed import get_worker

    with Client(get_worker().scheduler.address, timeout=10) as inner:
        return inner.submit(lambda: 42).result(timeout=10)


with Client(address, timeout=10) as client:
    client.wait_for_workers(workers, timeout=30)
    known = client.scheduler_info(n_workers=-1)["workers"]
    first, *_, last = known
    squares = client.map(square, range(100))
    block = client.submit(bytes, 1_000_000, workers=[first])
    report = {
        "sum": client.submit(sum, squares).result(timeout=30),
        "moved": client.submit(len, block, workers=[last]).result(timeout=30),
        "nested": client.submit(compute_from_a_task).result(timeout=30),
        "workers": [
            {
                "name": worker["name"],
                "address": at,
                "nanny": worker["nanny"],
                "threads": worker["nthreads"],
                "memoryLimit": worker["memory_limit"],
            }
            for at, worker in known.items()
        ],
    }
print(json.dumps(report))
