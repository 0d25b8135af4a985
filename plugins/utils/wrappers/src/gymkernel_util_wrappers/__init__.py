"""Code shared by several wrappers. Import each name from the module that defines it.

`batch_flattener` flattens batches. `merge_steps` merges the results of partial steps. `render_noise` adds noise to
frames. `rescale_box` maps one Box to another. `running_mean_std` computes the mean and variance of a stream of arrays.
`space_checks` checks spaces from any library. `vectorized` contains the base classes for vectorized wrappers.
"""
