"""The Ray cluster that this program is in: one way to be connected to it, and what may be asked of it.

`ClusterConnection` joins a cluster or starts one, and ends what was started with its last user, of whichever kind.
`check_options` refuses what cannot be meant, before anything is started. `capacity` says how many processes an idle
cluster has room for, `placement_targets` where, and `alive_nodes` what runs. Ray is imported where it is used alone.
"""

from gymkernel_util_ray_cluster.capacity import alive_nodes, capacity, placement_targets, warn_of_no_room
from gymkernel_util_ray_cluster.connection import ClusterConnection
from gymkernel_util_ray_cluster.options import check_options

__all__ = ["ClusterConnection", "alive_nodes", "capacity", "check_options", "placement_targets", "warn_of_no_room"]
