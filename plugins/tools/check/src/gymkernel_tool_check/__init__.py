"""The checker; programs import its names from `gymkernel.checks` and `gymkernel.testing`."""
