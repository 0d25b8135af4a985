"""Start processes that have the program's functions, main module and registrations."""
