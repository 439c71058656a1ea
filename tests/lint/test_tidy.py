# SPDX-License-Identifier: BSD-3-Clause
# label: lint
# processors: 2
"""clang-tidy 14 has nothing to say about the checks of .clang-tidy, on every C file that the build compiles."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

import sources

program = shutil.which("clang-tidy-14")
if not program:
    print("there is no clang-tidy-14 here")
    sys.exit(77)


def tidy(path):
    command = [program, "--quiet", "--warnings-as-errors=*", "-p", sources.BUILD, path]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return run.returncode, run.stdout


with open(os.path.join(sources.BUILD, "compile_commands.json")) as file:
    paths = sorted({entry["file"] for entry in json.load(file) if entry["file"].endswith(".c")})
assert paths
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    bad = [output for status, output in pool.map(tidy, paths) if status]
print("\n".join(bad))
print(f"{len(paths)} files, {len(bad)} with complaints")
sys.exit(1 if bad else 0)
