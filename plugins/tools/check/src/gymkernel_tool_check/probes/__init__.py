"""What is done with a target so that rules have something to look at; each probe runs once for all rules that name it.

A probe is a function of the subject. It records and judges nothing, and it says what it calls next (`subject.at`), so
that a hang or a crash is told with its phase and seed.
"""
