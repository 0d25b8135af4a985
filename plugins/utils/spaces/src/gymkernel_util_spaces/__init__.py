"""Code shared by several spaces, for example for masks, array layouts, flattening and descriptions of spaces."""
