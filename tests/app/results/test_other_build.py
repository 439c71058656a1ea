# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""The program of another build, with another MPI and another kind of HDF5, leaves the same bytes on 1 and 2 ranks: fields, series,
history and checkpoints.  From 3 ranks on, sums depend on the order in which an MPI takes the ranks.
SHOCKLET_OTHER_BUILD names the folder of that build; skipped where it is not set."""
import os
import tempfile

import program
from restarts import DECKS, MORE_DECKS, THOROUGH, content, good, prepare, shocklet

OTHER = os.environ.get("SHOCKLET_OTHER_BUILD")


def mpiexec_of(build):
    with open(os.path.join(build, "CMakeCache.txt")) as file:
        return next(line.split("=", 1)[1].strip() for line in file if line.startswith("MPIEXEC_EXECUTABLE:"))


def files_of(executable, mpiexec, folder, deck, ranks):
    """{name: bytes} of all that a run leaves; on the host, as one of the builds may know GPUs."""
    os.environ.update(SHOCKLET=executable, SHOCKLET_MPIEXEC=mpiexec)
    prepare(folder, deck)
    good(shocklet(folder, ["deck.yaml", "kernels.backend=host"], ranks), f"{executable} on {ranks} ranks")
    out = os.path.join(folder, "out")
    return {name: content(os.path.join(out, name)) for name in os.listdir(out)}


def both_leave_the_same_bytes():
    here = os.environ["SHOCKLET"], os.environ["SHOCKLET_MPIEXEC"]
    there = os.path.join(OTHER, "bin", "shocklet"), mpiexec_of(OTHER)
    compared = 0
    with tempfile.TemporaryDirectory() as root:
        for name, deck in {**DECKS, **(MORE_DECKS if THOROUGH > 1 else {})}.items():
            for ranks in 1, 2:
                one = files_of(*here, os.path.join(root, f"{name}-{ranks}-here"), deck, ranks)
                other = files_of(*there, os.path.join(root, f"{name}-{ranks}-there"), deck, ranks)
                assert one.keys() == other.keys(), f"{name} on {ranks} ranks: other files, {one.keys() ^ other.keys()}"
                differ = [file for file in sorted(one) if one[file] != other[file]]
                assert not differ, f"{name} on {ranks} ranks: {', '.join(differ)} differ from those of {OTHER}"
                compared += len(one)
    print(f"{compared} files are the same bytes as those of {OTHER}")


if not OTHER:
    print("skipped: SHOCKLET_OTHER_BUILD names no build to compare with")
    raise SystemExit(77)
program.main([both_leave_the_same_bytes])
