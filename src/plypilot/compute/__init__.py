"""Many tasks on many workers: threads, processes or a Dask cluster, all used in one way.

This is the only parallelism of the project. A result depends on its task alone, so it does not matter which worker
runs a task, when, or how often: one worker and eight give the same, and what a dead worker held is simply run again.
"""

from plypilot.compute.cache import Cache, CacheError
from plypilot.compute.interrupts import holding_interrupts
from plypilot.compute.tasks import NoWorkers, TaskKilledWorkers, task_seed
from plypilot.compute.workers import Workers, workers_for

__all__ = [
    "Cache",
    "CacheError",
    "NoWorkers",
    "TaskKilledWorkers",
    "Workers",
    "holding_interrupts",
    "task_seed",
    "workers_for",
]
