"""Small helpers under the names that users of this API expect."""

from gymkernel.utils.colorize import colorize
from gymkernel.utils.ezpickle import EzPickle
from gymkernel.utils.record_constructor import RecordConstructorArgs

__all__ = ["EzPickle", "RecordConstructorArgs", "colorize"]
