"""What backends share whose workers step several environments each; see the packages `shards` and `processes`."""
