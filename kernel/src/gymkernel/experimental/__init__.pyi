"""What plugins provide, for type checkers; stamped by tools/sync.py."""

from gymkernel.experimental import functional as functional
