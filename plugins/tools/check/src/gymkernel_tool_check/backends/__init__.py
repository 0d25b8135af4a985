"""The contract of vector backends: test cases for the pytest kit, and the probes that run them for the rules."""
