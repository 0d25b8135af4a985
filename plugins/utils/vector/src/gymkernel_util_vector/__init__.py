"""Share code between vector backends: batches in arrays, workers, processes and Ray clusters."""
