# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 3
"""A run that makes no progress says so: which rank is stopped, or where the ranks are; and ends where it is asked to."""
import os
import re
import signal
import tempfile
import time

import program
from restarts import PATIENCE, prepare, ranks_below, shocklet

SLOW = "{problem: {name: sedov}, mesh: {dim: 3, refine: 1}, kernels: {backend: host, corner_force: host.ref}, run: {silence: 4%s}, output: {%%s}}"
SMALL = "{problem: {name: sedov}, mesh: {dim: 1, zones: [4]}, time: {max_steps: 6}, run: {silence: 2, silence_ends: true}, output: {%s}}"
LIBRARY = os.path.join(os.environ["SHOCKLET_BUILD"], "tests", "libfailing_io.so")


def hangs(number, rank):
    """Words in front of the program whose call of this number that writes never returns."""
    return ["env", f"LD_PRELOAD={LIBRARY}", "FAIL_FOLDER=out/", f"FAIL_AT={number}", "FAIL_HANG=1", f"FAIL_RANK={rank}",
            "ASAN_OPTIONS=verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")]


def a_stopped_rank_is_named():
    for ends in False, True:
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "a")
            prepare(folder, SLOW % (", silence_ends: true" if ends else ""), "progress: lines")
            os.mkdir(os.path.join(folder, "out"))
            run = shocklet(folder, ["deck.yaml"], 2, wait=False, quiet=False)  # thousands of steps
            while not re.match(r" +1 ", run.stdout.readline()) and run.poll() is None:
                pass  # until it steps
            victim = ranks_below(run.pid)[-1]
            os.kill(victim, signal.SIGSTOP)
            said, line = None, "it begins"
            while line and not said:
                line = run.stderr.readline()
                said = re.search(r"no progress on \S+ for [\d.]+ s, in step (\d+): rank \d \(process (\d+)\) is stopped, (in|between)", line)
            if not ends:
                with open(os.path.join(folder, "out", "stop"), "w"):
                    os.kill(victim, signal.SIGCONT)
            out, err = run.communicate(timeout=PATIENCE)
            assert said and int(said.group(2)) == victim, f"{run.returncode}: {out[-300:]} {err}"
            assert run.returncode == (3 if ends else 0), f"{run.returncode}: {out[-300:]} {err}"


def time_in_which_all_are_stopped_is_no_silence():
    """As batch systems suspend a run: ranks that wait for a disk are stopped for longer than the silence, and given the rest of it."""
    with tempfile.TemporaryDirectory() as root:
        folder, mark = os.path.join(root, "a"), os.path.join(root, "mark")
        prepare(folder, SMALL, "checkpoint_every: 1")
        run = shocklet(folder, ["deck.yaml"], 2, wait=False, inside=hangs(2, 1) + [f"FAIL_MARK={mark}"])
        while not os.path.exists(mark) and run.poll() is None:
            time.sleep(0.01)
        time.sleep(0.5)  # until the watch has seen the last beats
        for number, pause in (signal.SIGSTOP, 2.5), (signal.SIGCONT, 1):
            for rank in ranks_below(run.pid):
                os.kill(rank, number)
            time.sleep(pause)
        ranks = ranks_below(run.pid)
        _, err = run.communicate(timeout=60)
        assert len(ranks) == 2 and run.returncode == 3 and "no progress on" in err, f"{ranks}: {run.returncode}: {err}"


def a_file_system_that_hangs_is_told_of():
    with tempfile.TemporaryDirectory() as root:
        for ranks, number, words in ((0, 1, "in set-up"), (0, 30, "rank 0 is writing "), (2, 2, "rank 1 is writing a checkpoint"),
                                     (3, 2, "rank 0 and 1 more are ")):
            folder = os.path.join(root, f"{ranks}-{number}")
            prepare(folder, SMALL, "checkpoint_every: 1")
            status, _, err = shocklet(folder, ["deck.yaml"], ranks, inside=hangs(number, max(ranks - 1, 0)), limit=60)
            assert status == 3 and "no progress on" in err and words in err, f"{ranks} ranks, call {number}: {status}: {err}"


program.main([a_stopped_rank_is_named, time_in_which_all_are_stopped_is_no_silence, a_file_system_that_hangs_is_told_of])
