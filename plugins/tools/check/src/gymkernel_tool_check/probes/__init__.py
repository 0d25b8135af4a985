"""The probes, which use a target and record the results for the rules. Each probe runs once for all its rules.

A probe is a function of the subject. It records results and does not judge them. Before each call it announces the call
with `subject.at`, so that a hang or a crash is reported with its phase and seed.
"""
