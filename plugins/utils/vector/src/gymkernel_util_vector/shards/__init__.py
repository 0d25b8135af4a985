"""What backends share whose workers step several environments each: the shard of a worker, and the parent's side of it.

A worker has an `EnvShard`, which steps its environments, writes what they return into arrays, and has a `SideMessage`
for everything else. The parent has a `ShardedVectorEnv`, which asks a `Pool` of workers and makes batches by a
`BatchState`. A `ShardPool` has what such pools have in common.
"""
