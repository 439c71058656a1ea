# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""scripts/bench, with a program that only pretends: what it is called with, and what becomes of its failures."""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
REPORT = {"device": "none", "backend": "host", "ranks": 1, "steps": 2, "zones": 8, "dofs": {"kinematic": 81}, "operations": [],
          "rate": dict.fromkeys(("velocity_solve", "force", "points", "total", "fom0"), 2.0), "joules": {},
          "seconds": {"major": 0.5, "loop": 1.0}, "parts": {"sum": 3.0}}
FAKE = """#!{python}
import sys, time
with open({calls!r}, "a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
if "kernels.backend=cuda" in sys.argv:
    print("----\\nshocklet: no GPU\\n----", file=sys.stderr)
    sys.exit(3)
if {endless!r} in open(sys.argv[4]).read():
    time.sleep(3600)
with open(sys.argv[sys.argv.index("--report") + 1], "w") as file:
    file.write({report!r})
"""


class Folder:
    def __init__(self, folder):
        self.path = folder
        self.calls = os.path.join(folder, "calls")
        self.binary = os.path.join(folder, "shocklet")
        with open(self.binary, "w") as file:
            file.write(FAKE.format(python=sys.executable, calls=self.calls, endless="kinematic_order: 4", report=json.dumps(REPORT)))
        os.chmod(self.binary, 0o755)

    def bench(self, *words):
        command = [sys.executable, os.path.join(SOURCE, "scripts", "bench"), "--binary", self.binary, "--repeat", "1", *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout, done.stderr

    def cut_short(self, table, end):
        """A benchmark whose third case never ends, ended by `end`."""
        command = [sys.executable, os.path.join(SOURCE, "scripts", "bench"), "--binary", self.binary, "--repeat", "1", "--cases", "q1-24,q2-12,q4-6", "--csv", table]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
            end(started)
            error = started.stderr.read()
        with open(table, newline="") as file:
            return started.returncode, error, [row["order"] for row in csv.DictReader(file)]

    def called(self):
        with open(self.calls) as file:
            return [line.split() for line in file]


def test_wrong_words(folder):
    for words, sentence in ((["foo"], "not one of host, gpu and green"), (["--repeat", "0"], "--repeat"), (["--ranks", "0"], "--ranks"),
                            (["--cases", "q9-1"], "q1-24, q2-12, q3-8, q4-6"), (["--csv", "/no/such/a.csv"], "/no/such/a.csv"),
                            (["--binary", "none"], "build first"), (["gpu", "--steps", "3"], "--steps is for green")):
        status, out, error = folder.bench(*words)
        assert status == 2 and sentence in error and "Traceback" not in error and not out, (words, status, error)
    assert not os.path.exists(folder.calls)


def test_no_program(folder):
    """A folder, and a program that leaves no report."""
    for binary, sentence in ((folder.path, "Permission denied"), ("/bin/true", "report.json: No such file")):
        status, _, error = folder.bench("--binary", binary)
        assert status == 3 and sentence in error and error.startswith("scripts/bench: ") and error.count("\n") == 1, (status, error)


def test_no_gpu(folder):
    table = os.path.join(folder.path, "a.csv")
    with open(table, "w") as file:
        file.write("kept")
    status, out, error = folder.bench("gpu", "--cases", "q2-64", "--csv", table)
    assert status == 3 and not out and error == "3D Q2-Q1 64^3: shocklet: no GPU\n", (status, out, error)
    with open(table) as file:
        assert file.read() == "kept"
    status, out, error = folder.bench("gpu")  # what all cases say is said once
    assert status == 3 and not out and error.count("shocklet: no GPU") == 1, (status, out, error)
    status, out, error = folder.bench("green", "--cases", "q2-32", "--cpu-ranks", "1")
    assert status == 3 and "| CPU |" in out and "no GPU" in error, (status, out, error)


def test_table(folder):
    table = os.path.join(folder.path, "a.csv")
    status, out, error = folder.bench("--cases", "q2-12", "--csv", table, "time.max_steps=1")
    assert status == 0 and "| 3D Q2-Q1 12^3 | 8 | 2 | 2 | 2 | 2 | 2 | 0.441 | 4.54 | 3 |" in out, (status, out, error)
    with open(table, newline="") as file:
        assert [row["fom0"] for row in csv.DictReader(file)] == ["2.0"]
    words = folder.called()[0]
    assert "time.max_steps=1" in words and sum(word.startswith("time.max_steps=") for word in words) == 1, words


def test_ends_early(folder):
    """A benchmark that is ended, or whose reader leaves, leaves what it has measured."""
    def by(how):
        def end(started):
            while not os.path.exists(folder.calls) or len(folder.called()) < 3:
                time.sleep(0.02)
            started.send_signal(how)
        return end

    for how in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        status, error, orders = folder.cut_short(os.path.join(folder.path, f"{how}.csv"), by(how))
        assert status == 128 + how and orders == ["1", "2"] and "Traceback" not in error, (status, error, orders)
        os.remove(folder.calls)
    status, error, orders = folder.cut_short(os.path.join(folder.path, "pipe.csv"), lambda started: started.stdout.close())
    assert status == 128 + signal.SIGPIPE and orders == ["1"] and not error, (status, error, orders)


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as path:
            test(Folder(path))
            print("passed:", name)
