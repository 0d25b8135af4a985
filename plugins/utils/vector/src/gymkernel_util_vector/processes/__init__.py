"""Code that starts processes and gives them access to the program's functions, main module and registrations."""
