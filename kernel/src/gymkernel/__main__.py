"""Run the command `gymkernel` with `python -m gymkernel`."""

from gymkernel.cli import main

if __name__ == "__main__":
    main()
