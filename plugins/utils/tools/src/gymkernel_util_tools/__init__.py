"""Code that several command-line tools share: targets, episodes, option types, error reports and progress bars."""
