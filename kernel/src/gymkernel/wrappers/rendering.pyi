# stamped by tools/sync.py

from gymkernel.wrappers._installed import AddWhiteNoise as AddWhiteNoise
from gymkernel.wrappers._installed import HumanRendering as HumanRendering
from gymkernel.wrappers._installed import ObstructView as ObstructView
from gymkernel.wrappers._installed import RecordVideo as RecordVideo
from gymkernel.wrappers._installed import RenderCollection as RenderCollection
