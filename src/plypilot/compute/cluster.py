"""The workers of a Dask cluster. Dask is imported when it is asked for, and connects where the user says."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from plypilot import __version__
from plypilot.compute.tasks import NoWorkers, Outcome, WorkersDied, pack_function, run_packed, unpack

_CONNECT_SECONDS = 10
_CLOSE_SECONDS = 5.0
_CLOSE_AT_ONCE_SECONDS = 0.5
_RECOUNT_SECONDS = 5.0
"""How often a cluster is asked for its size: machines may join and leave."""
_RETRIES = 3
"""For what fails on the way to a task; exceptions of the task itself come back as outcomes."""


class Cluster:
    """Runs chunks on a cluster. Dask runs those of a dead worker again by itself."""

    def __init__(self, address: str) -> None:
        """Connects to the scheduler at an address. Raises NoWorkers."""
        try:
            distributed, dask_config, cloudpickle = map(import_module, ("distributed", "dask.config", "cloudpickle"))
        except ModuleNotFoundError as error:
            raise NoWorkers(f"cluster: {error.name} is not installed; pip install 'plypilot[dask]'") from error
        has_certificates = all(
            dask_config.get(f"distributed.comm.tls.{file}", None) for file in ("ca-file", "client.cert", "client.key")
        )
        self._address = dask_address(address, has_certificates)
        if self._address.startswith("tls:") and not has_certificates:
            raise NoWorkers(
                f"cluster {self._address} wants certificates; name them in DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
                "..._TLS__CLIENT__CERT and ..._TLS__CLIENT__KEY (docs/cluster.md)"
            )
        if self._address.startswith("tcp:"):
            warnings.warn(
                f"cluster {self._address} has no authentication: whoever reaches it can run code on its machines and "
                "on this one (docs/cluster.md says how to use TLS)",
                stacklevel=3,
            )
        # Functions of the user's script travel by value, as a cluster cannot import it.
        self._dumps: Callable[[object], bytes] = cloudpickle.dumps
        self._killed: type[Exception] = distributed.KilledWorker
        try:
            self._client = distributed.Client(self._address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise NoWorkers(f"cluster {self._address} does not answer: {error}") from error
        try:
            self._client.wait_for_workers(1, timeout=_CONNECT_SECONDS)
        except TimeoutError as error:
            self._client.close()
            raise NoWorkers(
                f"cluster {self._address} has no workers; start some: dask worker {self._address}"
            ) from error
        self._executor = self._client.get_executor(pure=False, retries=_RETRIES)
        self._count = 0
        self._counted = 0.0

    @property
    def count(self) -> int:
        """The threads of all workers, asked anew now and then."""
        if self._count == 0 or time.monotonic() - self._counted > _RECOUNT_SECONDS:
            self._count = max(sum(self._client.nthreads().values()), 1)
            self._counted = time.monotonic()
        return self._count

    def runner(self, function: Callable[[Any], Any]) -> Callable[[Sequence[Any]], Future[Any]]:
        """What submits the tasks of a chunk."""
        packed = pack_function(function, self._dumps)

        def submit(tasks: Sequence[Any]) -> Future[Any]:
            future: Future[Any] = self._executor.submit(run_packed, __version__, packed, self._dumps(tasks))
            return future

        return submit

    def read(self, future: Future[Any]) -> list[Outcome]:
        """The outcomes of a chunk. Raises WorkersDied where Dask gave it up; it may have been a neighbour's fault."""
        try:
            return unpack(future.result())
        except self._killed as error:
            raise WorkersDied from error
        except CancelledError as error:
            raise NoWorkers(f"cluster {self._address} is gone, or dropped the tasks") from error

    def close(self, *, at_once: bool) -> None:
        """Leaves the cluster. What runs there cannot be stopped; its result is dropped."""
        with suppress(TimeoutError):
            self._executor.shutdown(wait=False)
            self._client.close(timeout=_CLOSE_AT_ONCE_SECONDS if at_once else _CLOSE_SECONDS)


def dask_address(address: str, has_certificates: bool) -> str:
    """An address as Dask writes it. ``dask://`` means TLS where Dask's configuration names certificates."""
    parts = urlsplit(address)
    port = None
    with suppress(ValueError):
        port = parts.port
    if parts.scheme not in ("dask", "tcp", "tls") or not parts.hostname or not port or parts.path.strip("/"):
        raise ValueError(f'cluster "{address}": expected dask://host:port (or tls://, tcp://)')
    scheme = parts.scheme if parts.scheme != "dask" else "tls" if has_certificates else "tcp"
    return f"{scheme}://{parts.netloc}"
