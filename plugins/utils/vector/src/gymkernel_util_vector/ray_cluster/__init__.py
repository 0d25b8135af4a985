"""Code that connects to a Ray cluster, validates options for the cluster and determines its capacity."""
