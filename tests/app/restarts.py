# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of checkpoints share: runs in a folder of their own, and the files that they leave."""
import os
import subprocess

import program

# How much of a test is done: 1 in CI; the figures of docs/reliability.md are those of a larger one; with 0 no more than 2 ranks run at
# a time, for an MPI whose ranks never sleep.
THOROUGH = int(os.environ.get("SHOCKLET_THOROUGH", "1"))

# Seconds after which a run counts as one that hangs: where others use the cores, what takes 2 may take more than 100.
PATIENCE = 1000

DECKS = {
    "sedov": "{problem: {name: sedov}, mesh: {dim: 2, refine: 1}, time: {max_steps: 24}, output: {fields_every: 5, %s}}",
    "repeated": "{problem: {name: sedov}, mesh: {dim: 1, zones: [12]}, time: {cfl: 0.9, max_steps: 30}, output: {%s}}",
    "rk2avg": "{problem: {name: taylor-green}, mesh: {dim: 2, zones: [3, 3]}, "
              "time: {integrator: rk2avg, max_steps: 15}, output: {%s}}",
    "saltzman": "{problem: {name: saltzman}, mesh: {dim: 2, zones: [8, 2]}, time: {max_steps: 20}, output: {%s}}",
    "gravity": "{problem: {name: rayleigh-taylor}, mesh: {refine: 0}, time: {max_steps: 12}, output: {%s}}",
    "zone-inverse": "{problem: {name: sedov}, mesh: {dim: 2, zones: [3, 3]}, time: {max_steps: 8}, "
                    "solvers: {velocity: {preconditioner: zone_inverse}}, output: {%s}}",
    "noh-3d": "{problem: {name: noh}, mesh: {dim: 3, zones: [2, 2, 2]}, time: {max_steps: 10}, output: {%s}}",
}
# The other problems, 10 steps each.
MORE_DECKS = {name: "{problem: {name: %s}, mesh: {dim: %d, refine: 0}, time: {max_steps: 10, cfl: 0.05}, output: {fields_every: 4, %%s}}" % (name, dim)
              for name, dim in (("shock-tube", 2), ("triple-point", 2), ("gresho", 2), ("riemann-12", 2), ("riemann-6", 2), ("sod", 1),
                                ("noh2", 2), ("standing-wave", 1))}


def shocklet(folder, words, ranks=1, wait=True, quiet=True, before=(), inside=(), limit=PATIENCE):
    """The program in a folder of its own: the same relative names, so the same bytes.  0 ranks: without mpiexec.  `before` are words
    in front of all that, `inside` words in front of the program, as of env."""
    command = list(before)
    command += [os.environ.get("SHOCKLET_MPIEXEC", "mpiexec"), "-n", str(ranks)] if ranks else []
    command += list(inside) + [os.environ["SHOCKLET"]] + (["--quiet"] if quiet else []) + words
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=program.apart() if ranks else program.alone())
    if not wait:
        return process
    out, err = process.communicate(timeout=limit)
    return process.returncode, out, err


def ranks_below(number):
    """Processes of the program among the descendants of another one."""
    seen = {}
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat") as file:
                head, _, tail = file.read().rpartition(")")
                seen[int(entry)] = head.partition("(")[2], int(tail.split()[1])
        except (OSError, ValueError):
            pass
    below = {number}
    for _ in range(4):
        below |= {process for process, (_, parent) in seen.items() if parent in below}
    return sorted(process for process in below if process in seen and seen[process][0] == "shocklet")


def prepare(folder, deck, output="checkpoint_every: 1, keep: 1000"):
    os.makedirs(folder)
    with open(os.path.join(folder, "deck.yaml"), "w") as file:
        file.write(deck % ("directory: out, " + output) + "\n")


def checkpoints(folder):
    """Steps, oldest first."""
    out = os.path.join(folder, "out")
    names = os.listdir(out) if os.path.isdir(out) else []
    return sorted(int(name[11:-3]) for name in names if name.startswith("checkpoint_") and name.endswith(".h5"))


def path(folder, step):
    return os.path.join(folder, "out", f"checkpoint_{step:06d}.h5")


def content(name):
    with open(name, "rb") as file:
        return file.read()


def good(result, what):
    assert result[0] == 0, f"{what}: exit status {result[0]}\n{result[2]}"
