"""What backends share whose workers step several environments each; see `gymkernel.vector.shards` and `.processes`."""
