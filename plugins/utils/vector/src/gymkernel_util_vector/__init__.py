"""Code that vector backends share: batches in arrays, workers, processes and Ray clusters."""
