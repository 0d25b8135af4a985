"""What wrappers share; each module is imported where one of its names is asked for.

`batch_flattener` flattens batches; `forms` has the bases of the vector forms of wrappers; `merge_steps` puts the
results of partial steps together; `render_noise` spoils frames; `rescale_box` maps a Box onto another;
`running_mean_std` has statistics of a stream of arrays; `space_checks` asks a space of any library what it is.
"""
