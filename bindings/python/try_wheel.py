"""What `cargo xtask wheel` runs in an empty environment: the time of the import, and the README's Python example.

    python -I bindings/python/try_wheel.py ROOT
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(sys.argv[1])
times = []
for _ in range(5):
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "import lowland"], check=True)
    with_lowland = time.perf_counter() - begun
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "import numpy"], check=True)
    times.append((with_lowland, time.perf_counter() - begun))
ours, numpy = (min(column) * 1000 for column in zip(*times))
print(f"import lowland: {ours:.0f} ms with the interpreter, import numpy alone {numpy:.0f} ms (least of 5)")

blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), flags=re.S)
blocks = [block for block in blocks if "lowland" in block]
if not blocks:
    sys.exit("README.md has no Python example")
for block in blocks:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})
        os.chdir(root)
print(f"{len(blocks)} Python example of README.md runs with numpy alone")
