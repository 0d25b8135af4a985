"""Helpers that several spaces share: masks and probabilities, arrays of elements, and descriptions of spaces."""
