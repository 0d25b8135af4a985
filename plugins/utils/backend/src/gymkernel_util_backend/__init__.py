"""What vector backends share: batches in arrays, and the spaces of several environments."""
