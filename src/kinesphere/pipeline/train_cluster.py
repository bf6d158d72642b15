"""Reading recordings on a dask cluster: the same results, in the same order, as on one machine.

The workers need the same version of this program, and must find the corpora under the given
paths: on a shared disk, or by a URL that fsspec supports.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import Any

import kinesphere
from kinesphere.errors import InvalidValueError, KinesphereError
from kinesphere.pipeline.train_extraction import (
    AHEAD,
    Job,
    Outcome,
    Waiting,
    in_order,
    outcome,
    own_main_left_out,
)

LOCAL = "local"
"""Address of a temporary cluster on this machine."""
_PATIENCE_S = 15


def cluster_outcomes(
    jobs: Sequence[Job], address: str, workers: int | None = None
) -> Generator[Outcome]:
    """Results in order, computed by the workers of a cluster.

    Parameters
    ----------
    address : of the scheduler, such as ``tcp://host:8786``, or `LOCAL`.
    workers : of a `LOCAL` cluster; None for one per core.

    Raises
    ------
    KinesphereError
        If dask is not installed, the scheduler does not answer, it has no workers, they have
        another version of this program, or one of them is lost.
    """
    if workers is not None and workers < 1:
        raise InvalidValueError(f"workers is {workers}, allowed is 1 or more")
    with _client(address, workers) as client:
        threads = _threads(client, address)

        def submit(job: Job) -> Waiting:
            # Not keyed by content: the same file may have changed since.
            future: Waiting = client.submit(outcome, job, pure=False)
            return future

        try:
            yield from in_order(submit, jobs, AHEAD * threads)
        except KinesphereError:
            raise
        except Exception as error:  # raised by dask for lost workers
            raise KinesphereError(f"{address}: {_first_line(error)}") from None


@contextmanager
def _client(address: str, workers: int | None) -> Iterator[Any]:
    """A client of the scheduler."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise KinesphereError(
            "a cluster needs dask; install it with: pip install 'kinesphere[cluster]'"
        ) from None
    with ExitStack() as stack:
        try:
            place: Any = address
            if address == LOCAL:
                place = stack.enter_context(_local(distributed, workers))
            elif not address.startswith("inproc://"):
                asyncio.run(_check_scheduler(address))  # a client has a long timeout
            client = stack.enter_context(
                distributed.Client(place, timeout=_PATIENCE_S, set_as_default=False)
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise KinesphereError(
                f"cluster {address!r} does not answer: {_first_line(error)}; "
                "expected an address such as tcp://host:8786, or 'local'"
            ) from None
        yield client


def _local(distributed: Any, workers: int | None) -> Any:
    with own_main_left_out():
        return distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )


async def _check_scheduler(address: str) -> None:
    """Check that a scheduler answers."""
    connection = await import_module("distributed.comm").connect(address, timeout=_PATIENCE_S)
    await connection.close()


def _threads(client: Any, address: str) -> int:
    """Number of parallel jobs, after checking that the workers can run them."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE_S)
        found = set(client.run(_version).values())
    except (TimeoutError, OSError):
        raise KinesphereError(f"cluster {address!r} has no workers") from None
    except ImportError:
        raise KinesphereError(
            f"the workers of {address!r} cannot import this program; install it there"
        ) from None
    if found != {kinesphere.__version__}:
        others = ", ".join(sorted(str(v) for v in found - {kinesphere.__version__}))
        raise KinesphereError(
            f"the workers of {address!r} have version {others}, here it is {kinesphere.__version__}"
        )
    return max(1, sum(int(n) for n in client.nthreads().values()))


def _version() -> str:
    return kinesphere.__version__


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
