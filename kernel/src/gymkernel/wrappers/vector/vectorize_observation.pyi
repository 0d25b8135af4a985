"""`gymkernel.wrappers.vector.vectorize_observation`: what plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel_wrapper_dtype_observation.vector import DtypeObservation as DtypeObservation
from gymkernel_wrapper_filter_observation.vector import FilterObservation as FilterObservation
from gymkernel_wrapper_flatten_observation.vector import FlattenObservation as FlattenObservation
from gymkernel_wrapper_grayscale_observation.vector import GrayscaleObservation as GrayscaleObservation
from gymkernel_wrapper_rescale_observation.vector import RescaleObservation as RescaleObservation
from gymkernel_wrapper_reshape_observation.vector import ReshapeObservation as ReshapeObservation
from gymkernel_wrapper_resize_observation.vector import ResizeObservation as ResizeObservation
from gymkernel_wrapper_transform_observation.vector import TransformObservation as TransformObservation
from gymkernel_wrapper_vectorize_transform_observation import (
        VectorizeTransformObservation as VectorizeTransformObservation,
    )
