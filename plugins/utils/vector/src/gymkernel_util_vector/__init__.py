"""Code shared by vector backends, for batches, workers, processes and Ray clusters."""
