"""The implementation of `gymkernel check`, which programs use through `gymkernel.checks` and `gymkernel.testing`."""
