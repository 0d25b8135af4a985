"""The contract of a vector backend: the probe that the rules look at, and the cases of the pytest kit."""
