"""Code for backends whose workers step several environments each.

A worker has an `EnvShard`, which steps environments, writes their results into arrays, and puts everything else into a
`SideMessage`. The parent has a `ShardedVectorEnv`, which sends requests to a `ShardPool` of workers and makes batches
with a `BatchState`.
"""
