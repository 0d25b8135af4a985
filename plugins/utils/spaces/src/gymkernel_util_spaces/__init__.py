"""What spaces share: masks and probabilities, flattening worked out once per space, descriptions."""
