"""How processes are started that know the program: its functions, its main module, what it registered."""

from gymkernel_util_workers.processes.pickling import dumps, dumps_by_name
from gymkernel_util_workers.processes.registrations import Registrations
from gymkernel_util_workers.processes.signals import DeferredSignals
from gymkernel_util_workers.processes.spawn_data import SpawnData
from gymkernel_util_workers.processes.start_method import Launcher

__all__ = ["DeferredSignals", "Launcher", "Registrations", "SpawnData", "dumps", "dumps_by_name"]
