"""The implementation of `gymkernel check`. Its public API is in `gymkernel.checks` and `gymkernel.testing`."""
