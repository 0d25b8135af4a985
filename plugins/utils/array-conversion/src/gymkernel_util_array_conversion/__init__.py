"""Functions that convert arrays between libraries, and base classes for wrappers that convert arrays."""
