# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""A run that was cut anywhere and goes on from a checkpoint ends with the bytes of one that was not; killed runs lose nothing
that was complete; damaged, foreign and missing checkpoints are refused in a sentence."""
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time

import program

DECKS = {
    "sedov": "{problem: {name: sedov}, mesh: {dim: 2, refine: 1}, time: {max_steps: 24}, output: {fields_every: 5, %s}}",
    "repeated": "{problem: {name: sedov}, mesh: {dim: 1, zones: [12]}, time: {cfl: 0.9, max_steps: 30}, output: {%s}}",
    "rk2avg": "{problem: {name: taylor-green}, mesh: {dim: 2, zones: [3, 3]}, "
              "time: {integrator: rk2avg, max_steps: 15}, output: {%s}}",
    "saltzman": "{problem: {name: saltzman}, mesh: {dim: 2, zones: [8, 2]}, time: {max_steps: 20}, output: {%s}}",
    "gravity": "{problem: {name: rayleigh-taylor}, mesh: {refine: 0}, time: {max_steps: 12}, output: {%s}}",
    "noh-3d": "{problem: {name: noh}, mesh: {dim: 3, zones: [2, 2, 2]}, time: {max_steps: 10}, output: {%s}}",
}


def shocklet(folder, words, ranks=1, wait=True, quiet=True):
    """The program in a folder of its own: the same relative names, so the same bytes."""
    command = [os.environ.get("SHOCKLET_MPIEXEC", "mpiexec"), "-n", str(ranks)] if ranks else []
    command += [os.environ["SHOCKLET"]] + (["--quiet"] if quiet else []) + words
    environment = {**os.environ, "OMPI_MCA_ess_singleton_isolated": "1"} if ranks == 0 else None
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment)
    if not wait:
        return process
    out, err = process.communicate(timeout=250)
    return process.returncode, out, err


def prepare(folder, deck, output="checkpoint_every: 1, keep: 1000"):
    os.makedirs(folder)
    with open(os.path.join(folder, "deck.yaml"), "w") as file:
        file.write(deck % ("directory: out, " + output) + "\n")


def checkpoints(folder):
    """Steps, oldest first."""
    names = os.listdir(os.path.join(folder, "out"))
    return sorted(int(name[11:-3]) for name in names if name.startswith("checkpoint_") and name.endswith(".h5"))


def path(folder, step):
    return os.path.join(folder, "out", f"checkpoint_{step:06d}.h5")


def content(name):
    with open(name, "rb") as file:
        return file.read()


def good(result, what):
    assert result[0] == 0, f"{what}: exit status {result[0]}\n{result[2]}"


def cut_and_go_on(name, deck, ranks, root):
    whole = os.path.join(root, f"{name}-{ranks}")
    prepare(whole, deck)
    good(shocklet(whole, ["deck.yaml"], ranks), name)
    steps = checkpoints(whole)
    assert len(steps) > 5, f"{name}: {len(steps)} steps"
    for cut in random.Random(ranks).sample(steps[:-1], 3):
        part = os.path.join(root, f"{name}-{ranks}-{cut}")
        shutil.copytree(whole, part)
        for later in steps[steps.index(cut) + 1:]:
            os.unlink(path(part, later))
        good(shocklet(part, ["--restart", "latest", "deck.yaml"], ranks), f"{name} from step {cut}")
        assert checkpoints(part) == steps, f"{name} from step {cut}: other steps"
        for file in os.listdir(os.path.join(whole, "out")):
            if not file.startswith("checkpoint_") or file == f"checkpoint_{steps[-1]:06d}.h5":
                same = content(os.path.join(whole, "out", file)) == content(os.path.join(part, "out", file))
                assert same, f"{name} on {ranks} ranks, cut after step {cut}: {file} differs"


def every_cut_gives_the_same_bytes():
    with tempfile.TemporaryDirectory() as root:
        for name, deck in DECKS.items():
            for ranks in (1, 2, 4) if name == "sedov" else (2,):
                cut_and_go_on(name, deck, ranks, root)


def other_numbers_of_ranks_go_on():
    with tempfile.TemporaryDirectory() as root:
        prepare(os.path.join(root, "a"), DECKS["sedov"])
        good(shocklet(os.path.join(root, "a"), ["deck.yaml"], 3), "on 3 ranks")
        want = None
        for ranks in 3, 1, 2, 5:
            words = ["--restart", path(os.path.join(root, "a"), 10), "--report", "r.json", "output.checkpoint_every=0",
                     "output.fields_every=0"]
            good(shocklet(root, words, ranks), f"on {ranks} ranks")
            with open(os.path.join(root, "r.json")) as file:
                report = program.json.load(file)
            want = want or report
            assert report["steps"] == want["steps"], f"{ranks} ranks: {report['steps']} steps"
            assert program.relative(report["norm"]["e"], want["norm"]["e"]) < 1e-12, f"{ranks} ranks: other energies"
            assert report["energy"]["initial"] == want["energy"]["initial"], "the initial energy was lost"


def signals_and_files_stop():
    deck = DECKS["sedov"].replace("max_steps: 24", "final: 0.4")
    with tempfile.TemporaryDirectory() as root:
        for how in "USR1", "stop", "checkpoint":
            folder = os.path.join(root, how)
            prepare(folder, deck.replace("refine: 1", "refine: 3"), "progress: lines, keep: 2")
            run = shocklet(folder, ["deck.yaml"], 2, wait=False, quiet=False)
            run.stdout.readline(), run.stdout.readline()  # it steps
            if how == "USR1":
                run.send_signal(signal.SIGUSR1)
            else:
                os.makedirs(os.path.join(folder, "out"), exist_ok=True)
                open(os.path.join(folder, "out", how), "w").close()
            if how == "checkpoint":
                begun = time.time()
                while not checkpoints(folder) and time.time() - begun < 60:
                    time.sleep(0.05)
                run.terminate()
                run.communicate()
            else:
                out, err = run.communicate(timeout=100)
                assert run.returncode == 0, f"{how}: exit status {run.returncode}: {err}"
                assert "to go on: shocklet --restart" in out, f"{how}: {out[-300:]}"
            assert checkpoints(folder), f"{how}: no checkpoint"
            good(shocklet(folder, ["--restart", "latest", "output.directory=out", "time.max_steps=1"]), f"after {how}")


def children(parent):
    """The processes that this one started, by /proc/PID/stat: number, (name), state, parent."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(name))
        except OSError:
            pass  # it has ended
    return found


def killed_runs_lose_nothing():
    deck = DECKS["sedov"].replace("max_steps: 24", "max_steps: 400")
    luck = random.Random(7)
    with tempfile.TemporaryDirectory() as root:
        folder, whole = os.path.join(root, "killed"), os.path.join(root, "whole")
        prepare(folder, deck, "checkpoint_every: 1, keep: 2")
        prepare(whole, deck, "checkpoint_every: 1, keep: 2")
        good(shocklet(whole, ["deck.yaml"], 2), "whole")
        last = 0
        for kill in range(12):
            words = (["--restart", "latest"] if kill else []) + ["deck.yaml"]
            run = shocklet(folder, words, 2, wait=False)
            time.sleep(luck.uniform(0.3, 1.2))
            victim = luck.choice([run.pid] + children(run.pid))
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
            run.communicate(timeout=15)
            if not os.path.isdir(os.path.join(folder, "out")) or not checkpoints(folder):
                shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
                prepare(os.path.join(root, f"again{kill}"), deck)
                good(shocklet(folder, ["deck.yaml", "time.max_steps=2"], 2), "first steps")
            steps = checkpoints(folder)
            assert steps[-1] >= last, f"kill {kill}: step {last} was lost, there are {steps}"
            last = steps[-1]
        good(shocklet(folder, ["--restart", "latest", "deck.yaml"], 2), "after all kills")
        step = checkpoints(whole)[-1]
        assert checkpoints(folder)[-1] == step
        assert content(path(folder, step)) == content(path(whole, step)), "after the kills the result is another one"


def damage_is_found():
    luck = random.Random(3)
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECKS["repeated"])
        good(shocklet(folder, ["deck.yaml"]), "run")
        steps = checkpoints(folder)
        newest, whole = path(folder, steps[-1]), content(path(folder, steps[-1]))
        for trial in range(8):
            damaged = bytearray(whole)
            if trial % 4 == 3:
                damaged = damaged[:luck.randrange(len(whole))]
            else:
                damaged[luck.randrange(len(whole))] ^= 1 << luck.randrange(8)
            with open(newest, "wb") as file:
                file.write(damaged)
            status, _, err = shocklet(folder, ["--restart", newest], 0)
            assert status == 2 and newest in err and len(err.splitlines()) == 1, f"trial {trial}: {status}, {err}"
        status, out, _ = shocklet(folder, ["--restart", "latest", "deck.yaml", "--check"], 0, quiet=False)
        assert status == 0 and "warning: 1 newer checkpoint" in out and f"{steps[-2]:06d}" in out, out


def wrong_restarts_are_refused():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECKS["repeated"])
        good(shocklet(folder, ["deck.yaml"]), "run")
        os.makedirs(os.path.join(root, "empty"))
        some = path(folder, 4)
        for words, sentence in (
                (["--restart", "none.h5"], "can't be read: No such file"),
                (["--restart", "deck.yaml"], "is not a checkpoint"),
                (["--restart", "latest", f"output.directory={root}/empty"], "no checkpoint is there"),
                (["--restart", "latest", f"output.directory={root}/nowhere"], "No such file"),
                (["--restart", some, "problem.name=noh"], "problem.name is sedov in the checkpoint, not noh"),
                (["--restart", some, "mesh.zones=[13]"], "mesh.zones is [12] in the checkpoint, not [13]"),
                (["--restart", some, "discretization.kinematic_order=3"], "discretization.kinematic_order"),
                (["--restart", some, "time.final=-1"], "out of range")):
            status, _, err = shocklet(folder, words, 0)
            assert status == 2 and sentence in err and len(err.splitlines()) == 1, f"{words}: {status} {err}"


program.main([every_cut_gives_the_same_bytes, other_numbers_of_ranks_go_on, signals_and_files_stop,
              killed_runs_lose_nothing, damage_is_found, wrong_restarts_are_refused])
