"""The probes: uses of a target whose results rules examine; each probe runs once for all rules that name it.

A probe is a function of the subject. It records results and does not judge them. Before each call it announces the call
with `subject.at`, so that a hang or a crash is reported with its phase and seed.
"""
