"""The report of `gymkernel run --report`: the time in environments, faster settings, and findings."""
