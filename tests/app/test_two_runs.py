# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
# timeout: 1500
"""Runs that share a folder by mistake do each other no harm: one at a time writes there, none deletes or takes what another one
wrote, and what is planted there is not followed."""
import json
import os
import shutil
import signal
import tempfile
import time

import program
from restarts import PATIENCE, checkpoints, content, good, path, prepare, shocklet

TRIPLE = ("{problem: {name: triple-point}, mesh: {dim: 2, refine: 1}, time: {max_steps: 12}, output: {%s}}", "checkpoint_every: 1, keep: 99999")
SEDOV = "{problem: {name: sedov}, mesh: {dim: 1, zones: [8]}, time: {max_steps: 30}, output: {%s}}"
NOH = "{problem: {name: noh}, mesh: {dim: 1, zones: [8]}, time: {max_steps: 3}, output: {%s}}"


def files(folder):
    return {name: content(os.path.join(folder, "out", name)) for name in sorted(os.listdir(os.path.join(folder, "out")))}


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def two_runs_at_once_make_the_files_of_one():
    with tempfile.TemporaryDirectory() as root:
        whole = {}
        for cfl in "0.5", "0.47":
            folder = os.path.join(root, "whole" + cfl)
            prepare(folder, *TRIPLE)
            good(shocklet(folder, ["deck.yaml", "time.cfl=" + cfl], 2), cfl)
            whole[cfl] = files(folder)
        for trial in range(3):
            folder = os.path.join(root, str(trial))
            prepare(folder, *TRIPLE)
            runs = []
            for cfl in whole:
                runs.append(shocklet(folder, ["deck.yaml", "time.cfl=" + cfl], 2, wait=False))
                time.sleep(0.2 * trial)
            ended = [(run.communicate(timeout=PATIENCE)[1], run.returncode) for run in runs]
            assert {status for _, status in ended} in ({0, 3}, {0, 2}), ended  # 2: the other one had ended
            for err, status in ended:
                assert status != 3 or "out: another run writes here: process " in err, err
                assert status != 2 or "out: holds files of another run" in err, err
            winner = list(whole)[[status for _, status in ended].index(0)]
            assert files(folder) == whole[winner], f"trial {trial}: {sorted(files(folder))}"


def a_second_run_by_mistake_is_refused():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SEDOV, "checkpoint_every: 10, fields_every: 10")
        write(folder, "noh.yaml", NOH % "directory: out, checkpoint_every: 1, fields_every: 1")
        good(shocklet(folder, ["deck.yaml"], 0), "the first run")
        before = files(folder)
        for words in ["noh.yaml"], ["deck.yaml"]:
            for ranks in 0, 2:
                status, _, err = shocklet(folder, words, ranks)
                assert status == 2 and "out: holds files of another run (checkpoint_0000" in err, f"{status}: {err}"
                assert files(folder) == before
        good(shocklet(folder, ["--restart", "latest", "deck.yaml"], 0), "a restart")
        assert files(folder) == before
        status, _, err = shocklet(folder, ["noh.yaml", "output.overwrite=true"], 0)
        assert status == 0 and f"{len(before)} files of an earlier run in out were taken away" in err, f"{status}: {err}"
        assert checkpoints(folder) == [2, 3] and not any(name.startswith("sedov") for name in files(folder))
        status, out, err = shocklet(folder, ["--restart", "latest", "output.directory=out", "--check"], 0, quiet=False)
        assert status == 0 and "name: noh" in out, f"{status}: {err}"


def going_back_leaves_later_checkpoints():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SEDOV, "checkpoint_every: 5, keep: 2")
        good(shocklet(folder, ["deck.yaml", "output.keep=100"], 0), "the first run")
        steps, kept = checkpoints(folder), {step: content(path(folder, step)) for step in checkpoints(folder)}
        status, _, err = shocklet(folder, ["--restart", path(folder, 10), "time.cfl=0.3", "output.keep=2", "time.max_steps=16"], 0)
        later = [step for step in steps if step > 10]
        assert status == 0 and f"goes back behind {len(later)} checkpoints in out, of step 15 or later" in err, f"{status}: {err}"
        assert checkpoints(folder) == [10, 15], checkpoints(folder)
        for step in later:
            assert content(os.path.join(folder, "out", "old-1", f"checkpoint_{step:06d}.h5")) == kept[step], f"step {step} was lost"


def a_checkpoint_on_request_spares_another_run():
    """A run that was not asked for files is stopped in a folder with those of another one."""
    slow = "{problem: {name: sedov}, mesh: {dim: 3, refine: 1}, kernels: {backend: host, corner_force: host.ref}, output: {%s}}"
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SEDOV, "checkpoint_every: 10")
        write(folder, "slow.yaml", slow % "directory: out, progress: lines")
        good(shocklet(folder, ["deck.yaml"], 0), "the first run")
        before = files(folder)
        run = shocklet(folder, ["slow.yaml"], 2, wait=False, quiet=False)
        run.stdout.readline(), run.stdout.readline(), run.stdout.readline()  # it steps
        run.send_signal(signal.SIGUSR1)
        out, err = run.communicate(timeout=PATIENCE)
        assert run.returncode == 0 and "this run's checkpoint goes to out-2" in err, f"{run.returncode}: {err}"
        assert "to go on: shocklet --restart out-2/checkpoint_0" in out and files(folder) == before
        good(shocklet(folder, ["--restart", "latest", "output.directory=out-2", "time.max_steps=1"], 0), "after it")


def what_is_planted_is_not_followed():
    """Links, pipes, folders and devices under names to come: nothing outside is touched, nothing waits, and a sentence says so."""
    with tempfile.TemporaryDirectory() as root:
        outside = os.path.join(root, "outside")
        for ranks in 0, 2:
            for name in "history.csv", "checkpoint_000010.h5", "sedov_000010.vtkhdf", "sedov.vtkhdf.series", "profile.csv", "run.lock":
                for kind in "link", "pipe", "folder", "link to nothing":
                    if ranks and kind != "link":
                        continue
                    folder = os.path.join(root, f"{ranks}-{name}-{kind}")
                    prepare(folder, SEDOV, "checkpoint_every: 10, fields_every: 10")
                    os.makedirs(os.path.join(folder, "out"))
                    write(root, "outside", "precious")
                    planted = os.path.join(folder, "out", name)
                    if kind == "pipe":
                        os.mkfifo(planted)
                    elif kind == "folder":
                        os.mkdir(planted)
                    else:
                        os.symlink(outside if kind == "link" else os.path.join(root, "nothing"), planted)
                    status, _, err = shocklet(folder, ["deck.yaml"], ranks, limit=60)
                    assert status == 3 and name in err, f"{name}, a {kind}: {status}: {err}"
                    assert content(outside) == b"precious" and not os.path.exists(os.path.join(root, "nothing")), f"{name}, a {kind}"
                    assert os.listdir(os.path.join(folder, "out")) == [name], os.listdir(os.path.join(folder, "out"))


def a_report_does_not_take_the_place_of_other_files():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SEDOV, "checkpoint_every: 10")
        deck = content(os.path.join(folder, "deck.yaml"))
        good(shocklet(folder, ["deck.yaml", "--report", "r.json"], 0), "the first run")
        before = files(folder)
        for name in "deck.yaml", path(".", 20), os.path.join("out", "history.csv"), os.path.join("out", "probes.csv"):
            for words in ["deck.yaml"], ["--restart", path(".", 20)]:
                status, _, err = shocklet(folder, [*words, "output.overwrite=true", "--report", name], 0)
                assert status == 2 and "can't write the report" in err and name in err, f"{name}: {status}: {err}"
        assert content(os.path.join(folder, "deck.yaml")) == deck and files(folder) == before
        good(shocklet(folder, ["--restart", path(".", 20), "--report", "r.json"], 0), "an older report")
        with open(os.path.join(folder, "r.json")) as file:
            assert json.load(file)["status"] == "done"


def a_folder_that_vanishes_is_noticed():
    slow = "{problem: {name: sedov}, mesh: {dim: 3, refine: 1}, kernels: {backend: host, corner_force: host.ref}, output: {%s}}"
    with tempfile.TemporaryDirectory() as root:
        for output in "history_every: 1", "checkpoint_every: 1, history_every: 0", "fields_every: 1, history_every: 0":
            folder = os.path.join(root, output.split(":")[0])
            prepare(folder, slow, output + ", progress: lines")
            run = shocklet(folder, ["deck.yaml", "time.max_steps=60"], 0, wait=False, quiet=False)
            run.stdout.readline(), run.stdout.readline(), run.stdout.readline()  # it steps
            shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)
            out, err = run.communicate(timeout=PATIENCE)
            known = "was removed or replaced" in err or "No such file" in err
            assert run.returncode == 3 and known, f"{output}: {run.returncode}: {err}"


def rows_that_are_missing_are_told_of():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, SEDOV, "checkpoint_every: 10, history_every: 3, probes: [0.2]")
        good(shocklet(folder, ["deck.yaml"], 0), "the first run")
        step = checkpoints(folder)[-1]
        assert step % 3, f"step {step} has a row, whose step is then that of the checkpoint"
        for keep in None, 5:
            for name in "history.csv", "probes.csv":
                table = os.path.join(folder, "out", name)
                with open(table) as file:
                    rows = file.readlines()
                os.unlink(table)
                if keep:
                    write(os.path.dirname(table), name, "".join(rows[:keep + 1]))
                status, _, err = shocklet(folder, ["--restart", "latest", "deck.yaml"], 0)
                words = f"{name} ends with step {3 * (keep - 1)}," if keep else f"{name} has no rows,"
                assert status == 0 and words in err and f"rows up to step {step - step % 3} were written" in err, f"{status}: {err}"
                write(os.path.dirname(table), name, "".join(rows))
        status, _, err = shocklet(folder, ["--restart", "latest", "deck.yaml"], 0)
        assert status == 0 and "rows" not in err, f"{status}: {err}"
        good(shocklet(folder, ["--restart", path(".", step), "output.directory=elsewhere"], 0), "another folder")


program.main([two_runs_at_once_make_the_files_of_one, a_second_run_by_mistake_is_refused,
              going_back_leaves_later_checkpoints, a_checkpoint_on_request_spares_another_run, what_is_planted_is_not_followed,
              a_report_does_not_take_the_place_of_other_files, a_folder_that_vanishes_is_noticed, rows_that_are_missing_are_told_of])
