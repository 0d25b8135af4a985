"""The entry point of `python -m gymkernel`, which runs the command `gymkernel`."""

from gymkernel.cli import main

if __name__ == "__main__":
    main()
