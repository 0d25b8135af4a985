"""The built-in rules. Each module contains the rules about one subject."""
