"""How processes are started that know the program: its functions, its main module, what it registered."""
