# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""scripts/band-figures and scripts/lowrank-figures on words that are wrong: a sentence and an exit status each."""
import os
import subprocess
import sys
import tempfile

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PROGRAM = "#!/bin/sh\ncase $* in *bad*) exit 3 ;; esac\necho a,b\necho 1,2\n"


def check(script, words, status, sentence):
    command = [sys.executable, os.path.join(SOURCE, "scripts", script), *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == status and sentence in said and "Traceback" not in said, (command, done.returncode, said)


with tempfile.TemporaryDirectory() as folder:
    table = os.path.join(folder, "other table.csv")
    with open(table, "w") as file:
        file.write("a,b\n1,2\n")
    for name in "program", "batched_test_gbtrf", "batched_test_gbsv":
        with open(os.path.join(folder, name), "w") as file:
            file.write(PROGRAM)
        os.chmod(file.name, 0o755)
    for name, source in ("band-figures", folder), ("lowrank-figures", os.path.join(folder, "program")):
        check(name, ["--help"], 0, "usage: scripts/" + name)
        check(name, [], 2, "usage: scripts/" + name)
        check(name, [os.path.join(folder, "none")], 2, "No such file or directory")
        check(name, [os.path.join(folder, "none.csv")], 2, "No such file or directory")
        check(name, [source, "word"], 2, "word is no key=value")
        check(name, [source, "bad=1"], 1, "ended with 3")
        check(name, [source, "-o", folder], 2, "there is no table with the columns")
        check(name, [table, "-o", folder], 2, "there is no table with the columns")
    with open(table, "w") as file:
        file.write("tolerance,b\n1,2\n")
    check("lowrank-figures", [table, "-o", folder], 2, "there is no table with the columns tolerance, relative_error")

    with open(table, "w") as file:
        file.write("figure,what,rank,n,dense_seconds\n9,LLD,8,64,1\n")
    check("lowrank-figures", [table, "-o", folder], 0, "no figure 5: the table has no rows of it, which take tile >= 128")
