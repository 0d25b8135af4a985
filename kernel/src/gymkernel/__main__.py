"""`python -m gymkernel` is `gymkernel`."""

from gymkernel.cli import main

if __name__ == "__main__":
    main()
