# stamped by tools/sync.py

from gymkernel.wrappers.vector._installed import DtypeObservation as DtypeObservation
from gymkernel.wrappers.vector._installed import FilterObservation as FilterObservation
from gymkernel.wrappers.vector._installed import FlattenObservation as FlattenObservation
from gymkernel.wrappers.vector._installed import GrayscaleObservation as GrayscaleObservation
from gymkernel.wrappers.vector._installed import RescaleObservation as RescaleObservation
from gymkernel.wrappers.vector._installed import ReshapeObservation as ReshapeObservation
from gymkernel.wrappers.vector._installed import ResizeObservation as ResizeObservation
from gymkernel.wrappers.vector._installed import TransformObservation as TransformObservation
from gymkernel.wrappers.vector._installed import VectorizeTransformObservation as VectorizeTransformObservation
