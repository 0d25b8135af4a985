"""Names from plugins; stamped by tools/sync.py."""

from gymkernel_wrapper_add_white_noise import AddWhiteNoise as AddWhiteNoise
from gymkernel_wrapper_human_rendering import HumanRendering as HumanRendering
from gymkernel_wrapper_obstruct_view import ObstructView as ObstructView
from gymkernel_wrapper_record_video import RecordVideo as RecordVideo
from gymkernel_wrapper_render_collection import RenderCollection as RenderCollection
