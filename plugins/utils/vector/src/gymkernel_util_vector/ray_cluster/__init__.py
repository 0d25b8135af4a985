"""Connect to a Ray cluster, validate its options and measure its free capacity."""
