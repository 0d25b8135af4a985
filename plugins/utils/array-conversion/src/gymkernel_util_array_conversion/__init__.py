"""Conversion of arrays between libraries, and base classes of wrappers that convert arrays."""
