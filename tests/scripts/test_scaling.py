# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""scripts/scaling, with a program and an mpirun that only pretend: what they are called with, and what becomes of reports."""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PARTS = ("corner_force", "velocity_solve", "energy_solve", "halo", "reductions", "other")
# On R ranks a step takes 0.5 + 0.5 R seconds: with zones that grow with the ranks the efficiency is 2 / (1 + R).  A run without a
# launcher is a copy: one has the rate of a rank alone, two have 0.8 of it.  Six ranks never end.
FAKE = """#!{python}
import json, os, sys, time
with open({calls!r}, "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
with open({calls!r} + "-bound", "a") as file:
    file.write(os.environ.get("OMPI_MCA_hwloc_base_binding_policy", "-") + "\\n")
count = [word for word in ("-np", "--ntasks") if word in sys.argv]
ranks = int(sys.argv[sys.argv.index(count[0]) + 1]) if count else 1
if ranks == 3:
    print("----\\nshocklet: no third rank\\n----", file=sys.stderr)
    sys.exit(3)
if ranks == 6:
    time.sleep(3600)
weak = not any(word.startswith("mesh.zones=") for word in sys.argv)
seconds, zones = 0.5 + 0.5 * ranks, 512 * ranks if weak else 512
if sys.argv[sys.argv.index("--report") + 1].endswith("-1.json"):
    seconds = 1.25
part = {{"min": 0.1, "mean": 0.15, "max": 0.2}}
report = {{"device": "none", "backend": "host", "ranks": ranks, "gpus": 0, "attempts": 2, "zones": zones,
          "deck": {{"problem": {{"name": "sedov"}}, "mesh": {{"zones_per_rank": [8, 8, 8] if ranks == 5 else 512 if weak else 0}}}}, "dofs": {{"kinematic": 3, "thermodynamic": 1}},
          "rate": {{"fom0": zones / seconds}}, "seconds": {{"major": seconds, "loop": seconds}},
          "communication": {{"neighbours": ranks - 1, "messages": 4 * ranks, "bytes": 64, "reductions": 6}},
          "seconds_by_rank": {{name: part for name in {parts!r}}}}}
with open(sys.argv[sys.argv.index("--report") + 1], "w") as file:
    json.dump(report, file)
"""


class Folder:
    def __init__(self, folder):
        self.path = folder
        self.job = {}  # the variables of a batch job
        self.calls = self.file("calls")
        self.launcher = self.file("mpirun")
        with open(self.launcher, "w") as file:
            file.write(FAKE.format(python=sys.executable, calls=self.calls, parts=PARTS))
        os.chmod(self.launcher, 0o755)
        with open(self.file("deck.yaml"), "w") as file:
            file.write("problem: {name: sedov}\n")

    def file(self, name):
        return os.path.join(self.path, name)

    def scaling(self, *words):
        command = [sys.executable, os.path.join(SOURCE, "scripts", "scaling"), "--binary", self.launcher, "--repeat", "1", *words]
        ours = ("SLURM_JOB_ID", "SLURM_NTASKS_PER_NODE", "PBS_NODEFILE", "LSB_JOBID", "OMPI_MCA_hwloc_base_binding_policy")
        environment = {**{name: value for name, value in os.environ.items() if name not in ours}, "MPIEXEC": self.launcher, **self.job}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        return done.returncode, done.stdout, done.stderr

    def ended(self, how, *words):
        """Runs until all ranks of --ranks are called, and is then sent a signal."""
        command = [sys.executable, os.path.join(SOURCE, "scripts", "scaling"), "--binary", self.launcher, "--repeat", "1", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "MPIEXEC": self.launcher}) as started:
            while not os.path.exists(self.calls) or len(self.called()) < 2:
                time.sleep(0.02)
            started.send_signal(how)
            return (*started.communicate(), started.returncode)

    def called(self):
        with open(self.calls) as file:
            return [line.split() for line in file]


def test_wrong_words(folder):
    deck = folder.file("deck.yaml")
    for words, sentence in (([], "required: DECK; "), (["--mode", "no", deck], "--mode"), (["--ranks", "0", deck], "--ranks: '0' is no list of whole numbers"), (["--ranks", "2,x", deck], "--ranks: '2,x' is no list"), (["--repeat", "0", deck], "--repeat: '0' is no whole number"), ([deck, "key"], "behind the deck come key=value"), (["--zones-per-rank", "8x0x8", deck], "--zones-per-rank"),
                            (["none.yaml"], "none.yaml is not there"),
                            ([deck, "--csv", folder.file("no/a.csv")], "--csv: " + folder.file("no/a.csv") + " can't be written"), ([deck, "--json", folder.path], "can't be written"), (["--binary", "none", deck], "build first")):
        status, out, error = folder.scaling(*words)
        assert status == 2 and sentence in error and error.count("\n") == 1 and not out, (words, status, error)
    folder.job = {"MPIEXEC": folder.file("no-mpirun")}
    status, out, error = folder.scaling(deck)
    assert status == 2 and f"there is no {folder.file('no-mpirun')} here" in error and error.count("\n") == 1 and not out, (status, error)
    assert not os.path.exists(folder.calls)


def test_weak(folder):
    table, whole = folder.file("a.csv"), folder.file("a.json")
    status, out, error = folder.scaling("--ranks", "1,2,4", "--csv", table, "--json", whole, folder.file("deck.yaml"), "time.cfl=0.3")
    assert status == 0, error
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["efficiency"]) for row in rows] == [1, 2 / 3, 0.4], rows
    assert [row["messages_per_step"] for row in rows] == ["2.0", "4.0", "8.0"]
    with open(whole) as file:
        assert len(json.load(file)["reports"]) == 3
    assert all("time.cfl=0.3" in words for words in folder.called()) and len(folder.called()) == 3
    assert "| 4 | 512 |" in out and "| 0.40 |" in out, out


def test_words_in_any_order(folder):
    for words in ([folder.file("deck.yaml"), "time.cfl=0.3", "--ranks", "1,2", "time.final=1"], [folder.file("deck.yaml"), "--ranks", "1,2", "time.cfl=0.3", "time.final=1"]):
        status, _, error = folder.scaling(*words)
        assert status == 0 and all("time.cfl=0.3" in call and "time.final=1" in call for call in folder.called()), error


def test_strong(folder):
    status, out, error = folder.scaling("--mode", "strong", "--ranks", "1,4", folder.file("deck.yaml"), "mesh.zones=[8,8,8]")
    assert status == 0 and "| 4 | 128 |" in out and "| 0.10 |" in out, (out, error)


def test_ranks_in_any_order(folder):
    """Efficiency is against the fewest ranks, whichever was named first."""
    status, out, error = folder.scaling("--ranks", "4,1,2,1", folder.file("deck.yaml"))
    rows = [line.split("|")[1:5:3] for line in out.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert status == 0 and [(int(ranks), float(efficiency)) for ranks, efficiency in rows] == [(1, 1), (2, 0.67), (4, 0.4)], (out, error)


def test_mode_of_the_deck(folder):
    """Zones that grow, or don't, against what was asked for."""
    for words, sentence in ((["mesh.zones=[8,8,8]"], "weak: the deck's zones don't grow"), (["--mode", "strong"], "strong: the deck's zones grow")):
        status, out, error = folder.scaling("--ranks", "1,2", folder.file("deck.yaml"), *words)
        assert status == 2 and not out and sentence in error, (out, error)


def test_batch_jobs(folder):
    """srun takes as few nodes as hold the ranks; mpirun in a job is not told to crowd them on the first node."""
    os.symlink(folder.launcher, folder.file("srun"))
    path = folder.path + os.pathsep + os.environ["PATH"]
    folder.job = {"SLURM_JOB_ID": "1", "SLURM_NTASKS_PER_NODE": "4", "PATH": path}
    status, _, error = folder.scaling("--ranks", "2,4,10", folder.file("deck.yaml"))
    assert status == 0, error
    assert [words[:6] for words in folder.called()] == [
        ["--ntasks", str(ranks), "--nodes", nodes, "--ntasks-per-node", here] for ranks, nodes, here in ((2, "1", "2"), (4, "1", "4"), (10, "3", "4"))]
    os.remove(folder.calls)
    for folder.job, words in (({"PBS_NODEFILE": "nodes"}, ["-np"]), ({}, ["--oversubscribe"])):
        status, _, error = folder.scaling("--ranks", "100000", folder.file("deck.yaml"))
        assert status == 0 and folder.called()[-1][:1] == words, (folder.called(), error)


def test_cores_of_their_own(folder):
    """Ranks are bound to cores where there are enough, unless the user says otherwise."""
    ranks = ("--ranks", "1,100000", folder.file("deck.yaml"), "kernels.backend=host")
    for folder.job, bound in (({}, ["core", "-"]), ({"OMPI_MCA_hwloc_base_binding_policy": "socket"}, ["socket", "socket"])):
        status, _, error = folder.scaling(*ranks)
        with open(folder.calls + "-bound") as file:
            assert status == 0 and file.read().split() == bound, error
        os.remove(folder.calls + "-bound")


def test_throughput(folder):
    status, out, error = folder.scaling("--mode", "throughput", "--ranks", "2", "--zones-per-rank", "64,512", folder.file("deck.yaml"))
    assert status == 0 and out.count("\n| 2 |") == 2, (out, error)
    assert [[word for word in words if word.startswith("mesh.")] for words in folder.called()] == [
        ["mesh.zones_per_rank=64"], ["mesh.zones_per_rank=512"]]


def test_zones_along_axes(folder):
    status, _, error = folder.scaling("--mode", "throughput", "--ranks", "5", "--zones-per-rank", "64,8x4x2", folder.file("deck.yaml"))
    assert status == 0, error
    assert [[word for word in words if word.startswith("mesh.")] for words in folder.called()] == [
        ["mesh.zones_per_rank=64"], ["mesh.zones_per_rank=[8,4,2]"]]
    status, _, error = folder.scaling("--mode", "strong", "--ranks", "5", folder.file("deck.yaml"))
    assert status == 2 and "strong: the deck's zones grow" in error, error


def test_failure(folder):
    status, out, error = folder.scaling("--ranks", "1,3", folder.file("deck.yaml"))
    assert status == 3 and error == "3 ranks: shocklet: no third rank\n" and "| 1 |" in out, (status, out, error)


def test_copies(folder):
    """What as many runs without messages have, and the efficiency over that."""
    for words, sentence in ((["--mode", "strong"], "weak scaling on the cores"), (["--ranks", "100000"], "--copies: 100000 ranks, but this host has")):
        status, out, error = folder.scaling("--copies", *words, folder.file("deck.yaml"), "kernels.backend=host")
        assert status == 2 and sentence in error and not out, error
    if len(os.sched_getaffinity(0)) < 2:
        return
    table = folder.file("a.csv")
    status, out, error = folder.scaling("--copies", "--ranks", "1,2", "--csv", table, folder.file("deck.yaml"), "kernels.backend=host")
    if "but this host has" in error:
        return
    with open(table, newline="") as file:
        assert status == 0 and [float(row["copies"]) for row in csv.DictReader(file)] == [1, 0.8], error
    assert "| copies | of copies |" in out and "| 0.67 | 0.80 | 0.83 |" in out, out


def test_signals(folder):
    """A sweep that is ended leaves what it has measured."""
    for how, code in ((signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, 130)):
        table = folder.file("a.csv")
        out, error, status = folder.ended(how, "--ranks", "1,6", "--csv", table, folder.file("deck.yaml"))
        with open(table, newline="") as file:
            assert status == code and [row["ranks"] for row in csv.DictReader(file)] == ["1"] and "Traceback" not in error, (status, error)
        os.remove(table)
        os.remove(folder.calls)


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as path:
            test(Folder(path))
            print("passed:", name)
