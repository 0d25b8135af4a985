# stamped by tools/sync.py

from gymkernel.wrappers.vector._installed import HumanRendering as HumanRendering
from gymkernel.wrappers.vector._installed import RecordVideo as RecordVideo
