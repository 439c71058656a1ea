# SPDX-License-Identifier: BSD-3-Clause
# label: lint
# processors: 2
"""cppcheck has nothing to say: errors, warnings, performance and portability, in every layer."""
import os
import shutil
import subprocess
import sys
import tempfile

import sources

program = shutil.which("cppcheck")
if not program:
    print("there is no cppcheck here")
    sys.exit(77)
# The check can fail.
with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "x.c"), "w") as file:
        file.write("int f(void) { int a[2]; a[2] = 1; return a[2]; }\n")
    planted = subprocess.run([program, "--quiet", "--error-exitcode=1", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert planted.returncode
# Without a build folder of its own, whose results outlive changes of headers.
command = [
    program,
    "--quiet",
    "--error-exitcode=1",
    "--enable=warning,performance,portability",
    "--inline-suppr",
    "--suppressions-list=" + os.path.join(sources.ROOT, "tests", "lint", "cppcheck.txt"),
    "-i" + os.path.join(sources.ROOT, "tests"),
    "--suppress=*:*/build/*",
    f"-j{os.cpu_count()}",
    "--project=" + os.path.join(sources.BUILD, "compile_commands.json"),
]
sys.exit(1 if subprocess.run(command).returncode else 0)
