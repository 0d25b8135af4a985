"""Arrays of one library as those of another, and the bases of wrappers that convert them."""
