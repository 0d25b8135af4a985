"""What spaces share: masks and probabilities, how elements stand in arrays, descriptions."""
