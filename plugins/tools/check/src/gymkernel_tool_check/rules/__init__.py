"""The rules, a module for each subject; the catalogue finds them by the entry points of `gymkernel.checks`."""
