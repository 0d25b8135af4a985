"""The probes, which call a target and record what happens. Each probe runs once for all rules that use it.

A probe is a function that receives the subject of the check and returns a record, which the rules judge. It announces
each call to the target with `subject.at`, so that a hang or a crash can be reported with its seed and step.
"""
