"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_human_rendering.vector import HumanRendering as HumanRendering
from gymkernel_wrapper_record_video.vector import RecordVideo as RecordVideo
