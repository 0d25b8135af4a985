"""Helper functions and modules, some of which come from plugins. The names are the same as in Gymnasium."""

from gymkernel.plugins import facade
from gymkernel.utils.colorize import colorize
from gymkernel.utils.record_constructor import RecordConstructorArgs

__getattr__, __dir__ = facade(__name__, "utils", globals())
