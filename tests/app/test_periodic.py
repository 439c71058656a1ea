# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""Periodic boxes: a vortex and its mirror images are the vortex between walls; a run goes on from its checkpoint on other ranks; boxes that
cannot be periodic are refused."""
import os
import tempfile

import program

TIGHT = {"solvers.velocity.tolerance": 1e-14, "solvers.energy.tolerance": 1e-14}
VORTEX = {"problem.name": "taylor-green", "mesh.refine": 0, "time.max_steps": 8, **TIGHT}


def mirror_images_are_walls():
    """[0, 2]^dim, periodic, is 2^dim times the box with walls, mirrored: the same steps, and norms by a factor."""
    for dim, zones in (2, [3, 4]), (3, [2, 1, 2]):
        keys = {**VORTEX, "mesh.dim": dim}
        walls = program.run({**keys, "mesh.zones": zones})
        periodic = program.run({**keys, "mesh.zones": [2 * n for n in zones], "mesh.upper": [2.0] * dim, "mesh.periodic": "xyz"[:dim]})
        assert (walls["steps"], walls["attempts"]) == (periodic["steps"], periodic["attempts"]), "other steps"
        for name, one, other in (("dt", walls["dt"], periodic["dt"]), ("e", 2 ** (dim / 2) * walls["norm"]["e"], periodic["norm"]["e"]),
                                 ("energy", 2 ** dim * walls["energy"]["final"], periodic["energy"]["final"])):
            assert program.relative(other, one) < 1e-11, (dim, name, one, other)


def goes_on_on_other_ranks():
    keys = {**VORTEX, "mesh.zones": [4, 4], "mesh.upper": [2.0, 2.0], "mesh.periodic": "xy", "mesh.zone": "triangle"}
    with tempfile.TemporaryDirectory() as folder:
        whole = program.run({**keys, "output.checkpoint_every": 3, "output.keep": 9}, 2, folder)
        first = os.path.join(folder, "checkpoint_000003.h5")
        report = os.path.join(folder, "report.json")
        for ranks in 1, 3:
            done = program.start({**keys, "output.overwrite": True}, ranks, report, folder + "/more", ["--restart", first])
            assert done.returncode == 0, done.stderr
            with open(report) as file:
                again = program.json.load(file)
            for name in "evx":
                assert program.relative(again["norm"][name], whole["norm"][name]) < 1e-12, (ranks, name)


def refuses():
    box = {"problem.name": "gresho", "mesh.zones": [4, 4]}
    for keys, sentence in (({"mesh.zones": [1, 4], "mesh.periodic": "x"}, "its own neighbour"), ({"mesh.periodic": "xz"}, "no axis z"),
                           ({"mesh.periodic": "w"}, "mesh.periodic"), ({"problem.name": "saltzman", "mesh.periodic": "y"}, "bends its box")):
        done = program.start({**box, **keys}, 0)
        assert done.returncode == 2 and sentence in done.stderr, (keys, done.returncode, done.stderr)


program.main([mirror_images_are_walls, goes_on_on_other_ranks, refuses])
