"""The rules of `gymkernel check`; programs use them through `gymkernel.checks` and `gymkernel.testing`."""
