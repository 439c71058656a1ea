# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""What is wrong with a file is said in one line that ends with the reason, whatever the file's name is: with newlines and control
characters in it, or as long as names may be."""
import os
import tempfile

import program
from restarts import shocklet

CASES = [  # words, with {} for the folder of the odd name; exit status; how the sentence ends
    (["{}/none.yaml"], 2, "can't read the deck: No such file or directory"),
    (["{}/bad.yaml"], 2, "such key; --keys lists all of them"),
    (["--restart", "{}/none.h5"], 2, "can't be read: No such file or directory"),
    (["--restart", "{}/bad.yaml"], 2, "is not a checkpoint, or its end is missing"),
    (["--restart", "latest", "output.directory={}/none"], 2, "No such file or directory"),
    (["sedov", "mesh.dim=1", "time.max_steps=1", "--report", "{}/none/r.json"], 3, "can't write the report: No such file or directory"),
]
PLAIN = [  # where a name with control characters is refused for these
    (["noh", "mesh.file={}/bad.mesh"], 2, "stands where 'dimension' should be"),
    (["noh", "mesh.file={}/none.mesh"], 2, "No such file or directory"),
    (["sedov", "mesh.dim=1", "time.max_steps=1", "output.fields_every=1", "output.directory={}/bad.mesh"], 3, "Not a directory"),
]


def check(odd, cases):
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, odd))
        for name, text in ("bad.yaml", "x: [\n"), ("bad.mesh", "MFEM mesh v1.0 x"):
            with open(os.path.join(root, odd, name), "w") as file:
                file.write(text)
        for words, status, end in cases:
            result, _, err = shocklet(root, [word.replace("{}", odd) for word in words], 0)
            line = err[:-1]
            assert result == status and err.endswith("\n") and line.isprintable(), f"{words}: {result}: {err!r}"
            assert line.startswith("shocklet: ") and line.endswith(end), f"{words}: {line[-200:]}"


def control_characters_end_no_line():
    check("a\nb\tc\x1b[31m", CASES)


def long_names_leave_room_for_the_reason():
    for parts in 4, 14:
        check(os.path.join(*["ü" * 120] * parts), CASES + PLAIN)


program.main([control_characters_end_no_line, long_names_leave_room_for_the_reason])
