# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
# timeout: 1500
"""What comes from outside at an awkward moment: signals of batch systems and terminals, to one rank of some, too, a second SIGTERM when
the steps are over, a reader who leaves, streams that are closed, a folder named stop."""
import json
import os
import re
import signal
import tempfile
import threading
import time

import program
from restarts import PATIENCE, THOROUGH, checkpoints, content, good, path, prepare, ranks_below, shocklet

LAUNCH = os.path.join(os.environ["SHOCKLET_SOURCE"], "scripts", "launch")
SLOW = "{problem: {name: sedov}, mesh: {dim: 3, refine: 1}, kernels: {backend: host, corner_force: host.ref}, output: {%s}}"
SMALL = "{problem: {name: sedov}, mesh: {dim: 1, zones: [8]}, time: {max_steps: 30}, output: {%s}}"


def wait_for_steps(run):
    while run.poll() is None and run.stdout.readline().split()[:1] != ["1"]:
        pass


def signals_write_a_checkpoint():
    for name in "HUP", "USR1", "USR2", "XCPU", "ALRM", "TERM":
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, name)
            prepare(folder, SLOW, "progress: lines")
            run = shocklet(folder, ["deck.yaml", "--report", "r.json"], 0, wait=False, quiet=False)
            wait_for_steps(run)
            run.send_signal(getattr(signal, "SIG" + name))
            out, err = run.communicate(timeout=PATIENCE)
            assert run.returncode == 0 and "to go on: shocklet --restart" in out and checkpoints(folder), f"{name}: {run.returncode}: {err}"
            with open(os.path.join(folder, "r.json")) as file:
                assert json.load(file)["status"] == "stopped", name


RANKS = 4 if THOROUGH else 2
SHORT = "{problem: {name: sedov}, mesh: {dim: 2, refine: 1}, time: {max_steps: 90}, output: {%s}}"


def signal_one_rank(run, folder, least, number, name):
    """After the checkpoint of a step, to the rank of this number; the process."""
    while run.poll() is None and (checkpoints(folder) or [0])[-1] < least:
        time.sleep(0.005)
    ranks = ranks_below(run.pid)
    assert len(ranks) == RANKS, f"{name}: {ranks} when there is a checkpoint of step {least}"
    os.kill(ranks[number % RANKS], getattr(signal, "SIG" + name))
    return ranks[number % RANKS]


def a_signal_to_one_rank_stops_all():
    """At first, in the middle and near the end, amid checkpoints: all ranks end together after the same step."""
    with tempfile.TemporaryDirectory() as root:
        for number, (name, least) in enumerate((("TERM", 1), ("INT", 10), ("USR1", 20), ("HUP", 40))):
            folder = os.path.join(root, name)
            prepare(folder, SHORT, "checkpoint_every: 1")
            run = shocklet(folder, ["deck.yaml", "--report", "r.json"], RANKS, wait=False, quiet=False)
            signal_one_rank(run, folder, least, number, name)
            out, err = run.communicate(timeout=PATIENCE)
            with open(os.path.join(folder, "r.json")) as file:
                report = json.load(file)
            stopped = report["status"] == "stopped" and f"stopped at step {report['steps']}; to go on: shocklet --restart" in out
            assert run.returncode == 0 and stopped, f"{name}: {run.returncode}: {report['status']}: {out[-300:]} {err}"
            assert checkpoints(folder)[-1] == report["steps"] >= least, f"{name}: {checkpoints(folder)} after {report['steps']} steps"


def a_rank_that_stands_still_or_dies_costs_no_bits():
    """Stopped for a while, the run ends as if it had not been; killed, it goes on from the last checkpoint that was there."""
    with tempfile.TemporaryDirectory() as root:
        whole = os.path.join(root, "whole")
        prepare(whole, SHORT, "checkpoint_every: 1")
        good(shocklet(whole, ["deck.yaml"], RANKS), "the whole run")
        last = checkpoints(whole)[-1]
        for number, (name, least) in enumerate((("STOP", 2), ("KILL", 10), ("STOP", 20), ("KILL", 40))):
            folder = os.path.join(root, f"{name}{least}")
            prepare(folder, SHORT, "checkpoint_every: 1")
            run = shocklet(folder, ["deck.yaml"], RANKS, wait=False, before=[LAUNCH])
            rank = signal_one_rank(run, folder, least, number, name)
            if name == "STOP":
                time.sleep(0.7)
                os.kill(rank, signal.SIGCONT)
            err = run.communicate(timeout=PATIENCE)[1]
            if name == "KILL":
                assert run.returncode != 0 and re.search("signal:? 9", err, re.IGNORECASE), f"{run.returncode}: {err}"
                assert checkpoints(folder)[-1] >= least, f"step {least} was lost, there are {checkpoints(folder)}"
                good(shocklet(folder, ["--restart", "latest", "deck.yaml"], RANKS), "the rest")
            else:
                good((run.returncode, "", err), "a rank that was stopped")
            assert content(path(folder, last)) == content(path(whole, last)), f"{name} after step {least}: other bytes"


def a_signal_after_the_last_step_loses_no_report():
    """The report goes to a pipe that nobody reads yet: the steps are over, and the run is not."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SLOW, "progress: lines")
        pipe = os.path.join(folder, "pipe")
        os.mkfifo(pipe)
        run = shocklet(folder, ["deck.yaml", "--report", "pipe"], 0, wait=False, quiet=False)
        wait_for_steps(run)
        run.terminate()
        for line in run.stdout:
            if "all steps" in line:
                break
        for name in "TERM", "HUP", "USR1", "XCPU", "TERM":
            run.send_signal(getattr(signal, "SIG" + name))
            time.sleep(0.05)
        read = []
        reader = threading.Thread(target=lambda: read.append(content(pipe)), daemon=True)
        reader.start()
        out, err = run.communicate(timeout=PATIENCE)
        reader.join(30)
        assert run.returncode == 0 and read and json.loads(read[0])["status"] == "stopped", f"{run.returncode}: {err}"


def a_reader_who_leaves_ends_no_run():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SMALL, "checkpoint_every: 10")
        run = shocklet(folder, ["deck.yaml", "--report", "r.json", "output.progress=lines"], 0, wait=False, quiet=False)
        run.stdout.close()
        err = run.stderr.read()
        assert run.wait(timeout=60) == 0 and "nobody read the standard output to its end" in err, f"{run.returncode}: {err}"
        assert checkpoints(folder)
        with open(os.path.join(folder, "r.json")) as file:
            assert json.load(file)["status"] == "done"
        for word in "--keys", "--help":  # what was asked for is only printed: as every other program
            run = shocklet(folder, [word], 0, wait=False, quiet=False)
            run.stdout.close()
            assert run.wait(timeout=60) in (0, -signal.SIGPIPE) and not run.stderr.read(), word


def closed_streams_are_not_files():
    """None of the run's files takes the place of a stream that is closed, and what is printed does not go to them; nor do newlines
    become signals in mpiexec."""
    with tempfile.TemporaryDirectory() as root:
        whole = None
        for ranks, closed in ((0, ""), (0, "<&- >&-"), (0, "<&- >&- 2>&-"), (2, "<&- >&-")):
            folder = os.path.join(root, f"{ranks}{closed}")
            prepare(folder, SMALL, "checkpoint_every: 10, progress: lines")
            before = [LAUNCH] if ranks else []
            before = ["sh", "-c", f'exec "$@" {closed}', "sh", *before]
            status, out, err = shocklet(folder, ["deck.yaml"], ranks, quiet=False, before=before)
            assert status == 0 and not (closed and out) and "orwarding" not in err, f"{closed}: {status}: {err}"
            files = {name: content(os.path.join(folder, "out", name)) for name in os.listdir(os.path.join(folder, "out"))}
            whole = whole or files
            assert ranks or files == whole, closed
            assert len(checkpoints(folder)) == 2, closed


def a_folder_named_stop_is_told_of():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SMALL, "history_every: 1")
        os.makedirs(os.path.join(folder, "out", "stop"))
        status, _, err = shocklet(folder, ["deck.yaml"], 0)
        assert status == 0 and "out/stop is no request, as it can't be taken away: Is a directory" in err, f"{status}: {err}"


program.main([signals_write_a_checkpoint, a_signal_to_one_rank_stops_all, a_rank_that_stands_still_or_dies_costs_no_bits,
              a_signal_after_the_last_step_loses_no_report, a_reader_who_leaves_ends_no_run, closed_streams_are_not_files, a_folder_named_stop_is_told_of])
