"""Contain the built-in rules, one module for each subject, which the entry points of `gymkernel.checks` name."""
