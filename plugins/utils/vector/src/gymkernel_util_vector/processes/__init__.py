"""Start processes that have the program's functions, its main module and its registrations."""
