"""Helpers that several spaces use, such as those for masks, arrays of elements and descriptions of spaces."""
