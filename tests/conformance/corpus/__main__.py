"""Show what `gymkernel check` says of the corpus: `python -m tests.conformance.corpus [--apart] [NAME ...]`.

With `--apart`, every probe has a process of its own, as in `gymkernel check module:Class`; without, only where it must.
"""

from __future__ import annotations

import importlib
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # where other processes find the classes, too

corpus = importlib.import_module("corpus")

apart = "--apart" in sys.argv
names = set(sys.argv[1:]) - {"--apart"}
defects = [one for one in corpus.DEFECTS if not names or one.name in names or one.code in names]
legal = {name: target for name, target in corpus.LEGAL.items() if not names or name in names}
found = corpus.measure(defects, legal, print if names else lambda _: None, apart=apart)

print(f"{len(found.named)} of {found.total} defects are named")
print(f"{len(found.otherwise)} are told of under another name, {len(found.missed)} are missed")
for name in found.missed:
    print(f"  missed     {name}: {next(one.code for one in defects if one.name == name)}")
for title, several in (("otherwise", found.otherwise), ("and more", found.noisy), ("ALARM", found.alarms)):
    for name, texts in several.items():
        code = next((one.code for one in defects if one.name == name), "legal")
        print(f"  {title:10} {name} ({code}): " + "\n             ".join(text[:230] for text in texts))
print(f"{len(legal) - len(found.alarms)} of {len(legal)} legal environments are left alone")
times = sorted(found.seconds.values()) or [0.0]
print(f"median {statistics.median(times):.2f} s, 95 % within {times[int(0.95 * (len(times) - 1))]:.2f} s")
print("slowest: " + ", ".join(f"{n} {s:.1f}" for n, s in sorted(found.seconds.items(), key=lambda x: -x[1])[:8]))
