"""What wrappers share; each module is imported where one of its names is asked for.

`batch_flattener` flattens batches; `merge_steps` puts the results of partial steps together; `render_noise` spoils
frames; `rescale_box` maps a Box onto another; `running_mean_std` has statistics of a stream of arrays; `space_checks`
asks a space of any library what it is; `vectorized` has the bases of vectorized wrappers.
"""
