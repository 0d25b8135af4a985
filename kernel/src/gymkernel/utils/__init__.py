"""Small helpers under the names that users of this API expect, and the modules of those that are plugins."""

from gymkernel.plugins import facade
from gymkernel.utils.colorize import colorize
from gymkernel.utils.record_constructor import RecordConstructorArgs

__getattr__, __dir__ = facade(__name__, "utils", globals())
