"""Comparing values: `compare` says where two differ, `membership` why one is not in a space."""
