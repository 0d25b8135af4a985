# stamped by tools/sync.py

from gymkernel.wrappers._installed import AddRenderObservation as AddRenderObservation
from gymkernel.wrappers._installed import DiscretizeObservation as DiscretizeObservation
from gymkernel.wrappers._installed import DtypeObservation as DtypeObservation
from gymkernel.wrappers._installed import FilterObservation as FilterObservation
from gymkernel.wrappers._installed import FlattenObservation as FlattenObservation
from gymkernel.wrappers._installed import GrayscaleObservation as GrayscaleObservation
from gymkernel.wrappers._installed import RescaleObservation as RescaleObservation
from gymkernel.wrappers._installed import ReshapeObservation as ReshapeObservation
from gymkernel.wrappers._installed import ResizeObservation as ResizeObservation
from gymkernel.wrappers._installed import TransformObservation as TransformObservation
