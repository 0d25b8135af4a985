"""The contract of a vector backend: the probe for the rules, and the cases of the pytest kit."""
