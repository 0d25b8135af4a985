"""Starting processes, having them know what the program knows, and ending them with it."""
