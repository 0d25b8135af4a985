"""Code that the command-line tools share: targets, episodes, options and completion."""
