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
import tempfile

import sources

GCC_ONLY = (" -fcx-limited-range",)
# States that the analyzer looks at in a function: by default 225000, which take three times as long.
NODES = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=30000")]

program = shutil.which("clang-tidy-14")
if not program:
    print("there is no clang-tidy-14 here")
    sys.exit(77)


def commands():
    """The build's compile commands of C files, in a clang's words."""
    with open(os.path.join(sources.BUILD, "compile_commands.json")) as file:
        entries = [entry for entry in json.load(file) if entry["file"].endswith(".c")]
    for entry in entries:
        for flag in GCC_ONLY:
            entry["command"] = entry["command"].replace(flag, "")
    return entries


def tidy(folder, path):
    command = [program, "--quiet", "--warnings-as-errors=*", *NODES, "-p", folder, path]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return run.returncode, run.stdout


def self_test():
    """The check can fail: memory that is lost."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "x.c"), "w") as file:
            file.write("#include <stdlib.h>\nint f(void)\n{\n  int *p = malloc(4);\n  return p != NULL;\n}\n")
        config = "--config-file=" + os.path.join(sources.ROOT, ".clang-tidy")
        run = subprocess.run([program, "--quiet", "--warnings-as-errors=*", *NODES, config, file.name, "--"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
        assert run.returncode and "leak" in run.stdout, run.stdout


self_test()
entries = commands()
assert entries
with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    with open(os.path.join(folder, "compile_commands.json"), "w") as file:
        json.dump(entries, file)
    paths = sorted({entry["file"] for entry in entries})
    bad = [path + ":\n" + output for path, (status, output) in zip(paths, pool.map(lambda p: tidy(folder, p), paths)) if status]
print("\n".join(bad))
print(f"{len(paths)} files, {len(bad)} with complaints")
sys.exit(1 if bad else 0)
