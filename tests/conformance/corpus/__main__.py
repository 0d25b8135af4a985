"""Print what `gymkernel check` finds in the corpus: `python -m tests.conformance.corpus [--apart] [NAME ...]`.

With `--apart`, every part of a check runs in a separate process, as in `gymkernel check module:Class`. Otherwise, only
environments whose defect requires it are checked in separate processes.
"""

from __future__ import annotations

import importlib
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # other processes import the classes from this folder

corpus = importlib.import_module("corpus")

apart = "--apart" in sys.argv
names = set(sys.argv[1:]) - {"--apart"}
defects = [defect for defect in corpus.DEFECTS if not names or defect.name in names or defect.code in names]
legal = {name: target for name, target in corpus.LEGAL.items() if not names or name in names}
found = corpus.measure(defects, legal, print if names else lambda _: None, apart=apart)

print(f"{len(found.named)} of {found.total} defects are named")
print(f"{len(found.otherwise)} are reported by another rule, {len(found.missed)} are missed")
for name in found.missed:
    print(f"  missed     {name}: {next(defect.code for defect in defects if defect.name == name)}")
for title, several in (("otherwise", found.otherwise), ("and more", found.noisy), ("ALARM", found.alarms)):
    for name, texts in several.items():
        code = next((defect.code for defect in defects if defect.name == name), "legal")
        print(f"  {title:10} {name} ({code}): " + "\n             ".join(text[:230] for text in texts))
print(f"{len(legal) - len(found.alarms)} of {len(legal)} legal environments have no findings")
times = sorted(found.seconds.values()) or [0.0]
print(f"median {statistics.median(times):.2f} s, 95 % within {times[int(0.95 * (len(times) - 1))]:.2f} s")
print("slowest: " + ", ".join(f"{n} {s:.1f}" for n, s in sorted(found.seconds.items(), key=lambda x: -x[1])[:8]))
