# stamped by tools/sync.py

from gymkernel_wrapper_atari_preprocessing import *
from gymkernel.wrappers._installed import AtariPreprocessing as AtariPreprocessing
