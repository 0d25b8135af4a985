"""Of plugins; stamped by tools/sync.py."""

from gymkernel_util_compatibility.other_apis import *
