"""Small helpers under the names that Gymnasium uses, and helper modules from plugins."""

from gymkernel.plugins import facade
from gymkernel.utils.colorize import colorize
from gymkernel.utils.record_constructor import RecordConstructorArgs

__getattr__, __dir__ = facade(__name__, "utils", globals())
