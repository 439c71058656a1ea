# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
# timeout: 3000
"""A run that was cut anywhere and goes on from a checkpoint ends with the bytes of one that was not; killed runs lose nothing
that was complete; damaged, foreign and missing checkpoints are refused in a sentence."""
import concurrent.futures
import csv
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time

import program
from restarts import DECKS, MORE_DECKS, PATIENCE, THOROUGH, checkpoints, content, good, path, prepare, shocklet

HELPER = "hydra_pmi_proxy"  # MPICH's mpiexec starts the ranks by it
LAUNCH = os.path.join(os.environ["SHOCKLET_SOURCE"], "scripts", "launch")  # as scripts/run does


def repeated_steps(folder):
    """Those that took more than one attempt."""
    with open(os.path.join(folder, "out", "history.csv")) as file:
        return [int(row["step"]) for row in csv.DictReader(file) if int(row["attempts"]) > 1]


def leave_in_mid_output(folder, step, later):
    """As if the run had been cut while it wrote: halves of files under their temporary names, and half a row."""
    out = os.path.join(folder, "out")
    for file in os.listdir(out):
        if file.endswith(".vtkhdf"):
            shutil.copy(os.path.join(out, file), os.path.join(out, file + ".tmp"))
            os.truncate(os.path.join(out, file + ".tmp"), 1000)
    for number in later:
        os.rename(path(folder, number), path(folder, number) + ".tmp")
        os.truncate(path(folder, number) + ".tmp", 5000)
    with open(os.path.join(out, "history.csv")) as file:
        rows = file.readlines()  # the head, and step 0
    with open(os.path.join(out, "history.csv"), "w") as file:
        file.writelines(rows[:step + 2])
        file.write(rows[step + 2][:20])


def same_results(whole, part, last, what):
    for file in os.listdir(os.path.join(whole, "out")):
        if not file.startswith("checkpoint_") or file == f"checkpoint_{last:06d}.h5":
            same = content(os.path.join(whole, "out", file)) == content(os.path.join(part, "out", file))
            assert same, f"{what}: {file} differs"


def cut_and_go_on(name, deck, ranks, root):
    """At three random steps; in the first case in mid-output, in the last after a step that was repeated, if there is one."""
    whole = os.path.join(root, f"{name}-{ranks}")
    prepare(whole, deck)
    good(shocklet(whole, ["deck.yaml"], ranks), name)
    steps = checkpoints(whole)
    assert len(steps) > 5, f"{name}: {len(steps)} steps"
    cuts = random.Random(ranks).sample(steps[:-1], 3)
    repeated = [step for step in repeated_steps(whole) if step < steps[-1]]
    assert repeated or name != "repeated", f"{name}: no step was repeated"
    cuts = [*cuts[:2], repeated[-1] if repeated else cuts[2]]
    for number, cut in enumerate(cuts):
        part = os.path.join(root, f"{name}-{ranks}-{number}")
        shutil.copytree(whole, part)
        if number == 0:
            leave_in_mid_output(part, cut, steps[steps.index(cut) + 1:])
        for later in checkpoints(part)[steps.index(cut) + 1:]:
            os.unlink(path(part, later))
        good(shocklet(part, ["--restart", "latest", "deck.yaml"], ranks), f"{name} from step {cut}")
        assert checkpoints(part) == steps, f"{name} from step {cut}: other steps"
        same_results(whole, part, steps[-1], f"{name} on {ranks} ranks, cut after step {cut}")


def every_cut_gives_the_same_bytes():
    with tempfile.TemporaryDirectory() as root:
        for name, deck in {**DECKS, **(MORE_DECKS if THOROUGH > 1 else {})}.items():
            for ranks in (1, 2, 4)[:2 + THOROUGH] if name == "sedov" or THOROUGH > 1 else (2,):
                cut_and_go_on(name, deck, ranks, root)


def other_numbers_of_ranks_go_on():
    with tempfile.TemporaryDirectory() as root:
        numbers, want = (3, 1, 2, 5) if THOROUGH else (2, 1), None
        prepare(os.path.join(root, "a"), DECKS["sedov"])
        good(shocklet(os.path.join(root, "a"), ["deck.yaml"], numbers[0]), f"on {numbers[0]} ranks")
        for ranks in numbers:
            words = ["--restart", path(os.path.join(root, "a"), 10), "--report", "r.json", "output.checkpoint_every=0",
                     "output.fields_every=0"]
            good(shocklet(root, words, ranks), f"on {ranks} ranks")
            with open(os.path.join(root, "r.json")) as file:
                report = program.json.load(file)
            want = want or report
            assert report["steps"] == want["steps"], f"{ranks} ranks: {report['steps']} steps"
            assert program.relative(report["norm"]["e"], want["norm"]["e"]) < 1e-12, f"{ranks} ranks: other energies"
            assert report["energy"]["initial"] == want["energy"]["initial"], "the initial energy was lost"


def rates_count_this_run_alone():
    """Work over seconds, where both belong to the run that reports them: here one of two steps after ten."""
    with tempfile.TemporaryDirectory() as root:
        prepare(os.path.join(root, "a"), DECKS["sedov"])
        good(shocklet(os.path.join(root, "a"), ["deck.yaml"]), "the first run")
        keys = ["--restart", path(os.path.join(root, "a"), 10), "--report", "r.json", "output.checkpoint_every=0",
                "output.fields_every=0"]
        for more in 0, 2:
            good(shocklet(root, [*keys, f"time.max_steps={9 + more}"]), f"{more} more steps")
            with open(os.path.join(root, "r.json")) as file:
                report = program.json.load(file)
            stages = 1e6 * report["rate"]["fom0"] * report["seconds"]["major"] / sum(report["dofs"].values())
            calls = sum(o["calls"] for o in report["operations"] if o["operation"] == "force")
            assert abs(stages - calls) < 1e-6 * max(calls, 1), f"{more} more steps: {stages} stages for {calls} forces"


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
                out, err = run.communicate(timeout=PATIENCE)
                assert run.returncode == 0, f"{how}: exit status {run.returncode}: {err}"
                assert "to go on: shocklet --restart" in out, f"{how}: {out[-300:]}"
            assert checkpoints(folder), f"{how}: no checkpoint"
            good(shocklet(folder, ["--restart", "latest", "output.directory=out", "time.max_steps=1"]), f"after {how}")


def catches(run, number):
    """Waits until a process has a handler for a signal, by the mask in /proc/PID/status."""
    begun = time.time()
    while time.time() - begun < 60:
        with open(f"/proc/{run.pid}/status") as file:
            if int(re.search(r"SigCgt:\s*(\w+)", file.read()).group(1), 16) >> (number - 1) & 1:
                return
        time.sleep(0.001)
    raise AssertionError(f"signal {number} is not waited for")


def signals_are_in_time():
    """SIGUSR1 before the first step is not lost; the first Ctrl-C without mpiexec is a request, and the second the end."""
    slow = "{problem: {name: sedov}, mesh: {dim: 3, refine: %d}, kernels: {backend: host, corner_force: host.ref}, output: {%%s}}"
    with tempfile.TemporaryDirectory() as root:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background ignores it
        for how, signals, refine in (("USR1", 1, 1), ("INT", 1, 2), ("INT", 2, 3)):
            number, folder = getattr(signal, "SIG" + how), os.path.join(root, f"{how}{signals}")
            prepare(folder, slow % refine, "progress: lines")
            run = shocklet(folder, ["deck.yaml"], 0, wait=False, quiet=False)
            catches(run, number)
            if how == "INT":
                run.stdout.readline(), run.stdout.readline()  # it steps, for seconds with the finer mesh
            run.send_signal(number)
            if signals > 1:
                said = next((line for line in run.stderr if "shocklet: warning" not in line), "")  # of other processes, perhaps
                assert "interrupted; a checkpoint follows" in said, said
                run.send_signal(number)
            out, err = run.communicate(timeout=PATIENCE)
            assert run.returncode == (-number if signals > 1 else 0), f"{how}: exit status {run.returncode}: {err}"
            if signals == 1:
                assert "to go on: shocklet --restart" in out and checkpoints(folder), f"{how}: {out[-300:]}"
                good(shocklet(folder, ["--restart", "latest", "output.directory=out", "time.max_steps=1"], 0), f"after {how}")


def the_clock_stops_and_saves():
    """Checkpoints by the clock, and a last one before time.wall_limit."""
    deck = DECKS["sedov"].replace("max_steps: 24", "final: 0.8, wall_limit: 5").replace("fields_every: 5", "fields_every: 0")
    deck = deck.replace("refine: 1", "refine: 5") # takes longer than the limit on any machine
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, deck, "checkpoint_seconds: 0.4, keep: 100")
        status, out, err = shocklet(folder, ["deck.yaml", "--report", "r.json"], 2, quiet=False)
        with open(os.path.join(folder, "r.json")) as file:
            report = program.json.load(file)
        stopped = "to go on: shocklet --restart" in out and report["status"] == "stopped"
        assert status == 0 and stopped, f"exit status {status}: {out[-300:]} {err}"
        steps = checkpoints(folder)
        assert len(steps) > 1 and steps[-1] == report["steps"], f"checkpoints of {steps}, {report['steps']} steps"
        good(shocklet(folder, ["--restart", "latest", "output.directory=out", "time.max_steps=1"]), "after the limit")


def process(number):
    """Name, state and parent, by /proc/PID/stat, which is: number (name) state parent ...; None where there is no such process."""
    try:
        with open(f"/proc/{number}/stat") as file:
            head, _, tail = file.read().rpartition(")")
        return head.partition("(")[2], tail.split()[0], int(tail.split()[1])
    except OSError:
        return None


def ranks_of(launcher):
    """The processes that mpiexec started, itself or by Hydra's helpers; not what ranks start, as LeakSanitizer's tracer."""
    seen = {int(number): process(number) for number in os.listdir("/proc") if number.isdigit()}

    def is_below(number):
        parent = seen[number][2] if seen.get(number) else 0
        return parent == launcher or (seen.get(parent) is not None and seen[parent][0] == HELPER and is_below(parent))

    return [number for number in seen if is_below(number) and seen[number][0] != HELPER]


def runs(number):
    """Not so one that has ended and that its parent has not asked for yet."""
    found = process(number)
    return found is not None and found[1] not in "ZX"


def kill(run, luck):
    """A rank, mpiexec, or all.  Ranks whose mpiexec is killed live on for a while.  Returns how long it took until all ranks were
    gone, and whether scripts/launch had to end mpiexec."""
    ranks = ranks_of(run.pid)
    victims = [run.pid] + ranks
    for victim in victims if luck.random() < 0.3 else [luck.choice(victims)]:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    begun = time.time()
    while any(runs(rank) for rank in ranks):
        assert time.time() - begun < 15, "some ranks live on"
        time.sleep(0.02)
    took = time.time() - begun
    try:
        return took, "mpiexec waits for itself" in run.communicate(timeout=15)[1]
    except subprocess.TimeoutExpired:
        left = {number: process(number) for number in ranks_of(run.pid)}
        run.kill()
        raise AssertionError(f"mpiexec lives on with {left}") from None


def kill_and_go_on(root, whole, deck, output, longest, chain, kills):
    """Runs are killed, and go on, until they end; then the next one starts.  How many ended, the longest time until all ranks
    were gone, and how often mpiexec had to be ended too."""
    ended, slowest, stuck, last, luck = 0, 0, 0, -1, random.Random(chain)
    folder, final = os.path.join(root, f"killed{chain}"), checkpoints(whole)[-1]
    prepare(folder, deck, output)
    for number in range(kills):
        words = (["--restart", "latest"] if checkpoints(folder) else []) + ["deck.yaml"]
        run = shocklet(folder, words, 2, wait=False, before=[LAUNCH])
        time.sleep(luck.uniform(0.1, longest))
        took, waited = kill(run, luck)
        slowest, stuck = max(slowest, took), stuck + waited
        steps = checkpoints(folder) or [-1]
        assert steps[-1] >= last, f"kill {number} of chain {chain}: step {last} was lost, there are {steps}"
        last = steps[-1]
        if last == final or number + 1 == kills:
            good(shocklet(folder, (["--restart", "latest"] if checkpoints(folder) else []) + ["deck.yaml"], 2), "at the end")
            same_results(whole, folder, final, f"after {number + 1} kills of chain {chain}")
            shutil.rmtree(folder)
            prepare(folder, deck, output)
            last, ended = -1, ended + 1
    return ended, slowest, stuck


def killed_runs_lose_nothing():
    """Runs that write a checkpoint every step.  Four at a time: mpiexec needs two seconds to clear up after a dead rank."""
    kills, chains = [(10, 1), (24, 4), (200, 4)][THOROUGH]
    output = "checkpoint_every: 1, keep: 2"
    deck = DECKS["sedov"].replace("max_steps: 24", "max_steps: 250")
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(chains) as workers:
        whole = os.path.join(root, "whole")
        prepare(whole, deck, output)
        begun = time.time()
        good(shocklet(whole, ["deck.yaml"], 2), "whole")
        longest = time.time() - begun
        done = [workers.submit(kill_and_go_on, root, whole, deck, output, longest, chain, (kills + chain) // chains)
                for chain in range(chains)]
        ended, slowest, stuck = zip(*[d.result() for d in done])
        print(f"{kills} kills, {sum(ended)} runs ended with the same bytes, {max(slowest):.1f} s until all ranks were gone, "
              f"{sum(stuck)} times mpiexec waited for itself and was ended", flush=True)


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
                (["--restart", "/dev/null"], "/dev/null: is not a checkpoint"),
                (["--restart", "out"], "out is a folder; its newest checkpoint is: --restart latest output.directory=out"),
                (["--restart", "latest", f"output.directory={root}/empty"], "no checkpoint is there"),
                (["--restart", "latest", f"output.directory={root}/nowhere"], "No such file"),
                (["--restart", some, "problem.name=noh"], "problem.name is sedov in the checkpoint, not noh"),
                (["--restart", some, "mesh.zones=[13]"], "mesh.zones is [12] in the checkpoint, not [13]"),
                (["--restart", some, "discretization.kinematic_order=3"], "discretization.kinematic_order"),
                (["--restart", some, "mesh.refine=1", "mesh.zones_per_rank=6", "mesh.zones=[6]"], "can't be given together"),
                (["--restart", some, "mesh.zones=[6]", "mesh.refine=1"], "not [6]; mesh.refine is 0 in the checkpoint, not 1"),
                (["--restart", some, "time.final=1e-9"], "time.final is 1e-09, but the checkpoint is of t = "),
                (["--restart", some, "time.final=-1"], "out of range")):
            status, _, err = shocklet(folder, words, 0)
            assert status == 2 and sentence in err and len(err.splitlines()) == 1, f"{words}: {status} {err}"


def what_check_prints_is_a_deck():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECKS["repeated"])
        good(shocklet(folder, ["deck.yaml"]), "run")
        status, out, err = shocklet(folder, ["--restart", path(folder, 4), "--check", "time.cfl=0.25"], 0, quiet=False)
        assert status == 0 and out.startswith("# restart with time.cfl: 0.25 (was 0.9"), f"{status}: {out} {err}"
        with open(os.path.join(folder, "resolved.yaml"), "w") as file:
            file.write(out)
        assert shocklet(folder, ["--check", "resolved.yaml"], 0, quiet=False)[:2] == (0, out.partition("\n")[2])


program.main([every_cut_gives_the_same_bytes, other_numbers_of_ranks_go_on, rates_count_this_run_alone, signals_and_files_stop,
              signals_are_in_time, the_clock_stops_and_saves, killed_runs_lose_nothing, damage_is_found, wrong_restarts_are_refused,
              what_check_prints_is_a_deck])
