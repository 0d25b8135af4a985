"""Code shared by backends in which each worker steps several environments.

In a worker, an `EnvShard` steps the environments, writes their results into arrays, and puts everything else into a
`SideMessage`. In the parent process, a `ShardedVectorEnv` sends requests to a `ShardPool` of workers and combines the
results with a `BatchState`.
"""
