# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""clang-format 14 would change nothing (.clang-format).  Other versions of it differ in details, so they are not asked."""
import shutil
import subprocess
import sys

import sources

program = shutil.which("clang-format-14")
if not program:
    print("there is no clang-format-14 here")
    sys.exit(77)
# The check can fail.
planted = subprocess.run([program, "--dry-run", "-Werror", "--assume-filename=app/x.c"], cwd=sources.ROOT, input="int  x ;\n", text=True,
                         stderr=subprocess.DEVNULL)
assert planted.returncode
paths = [p for folder in sources.LAYERS + ("tests",) for p in sources.files(".c", ".h", ".cu", ".cuh", under=folder)]
run = subprocess.run([program, "--dry-run", "-Werror", "--ferror-limit=3"] + paths, cwd=sources.ROOT)
print(f"{len(paths)} files; clang-format-14 -i FILE formats one")
sys.exit(1 if run.returncode else 0)
