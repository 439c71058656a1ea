# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""scripts/gpu-test, with programs that only pretend: its lines, and what it says where nothing runs."""
import os
import re
import select
import signal
import subprocess
import tempfile
import time

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def gpu_test(*words, tools=None):
    command = ["bash", os.path.join(SOURCE, "scripts", "gpu-test"), *words]
    environment = dict(os.environ, PATH=(tools + os.pathsep if tools else "") + os.environ["PATH"])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def fake(folder, name, body):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write("#!/bin/sh\n" + body + "\n")
    os.chmod(path, 0o755)
    return path


def parts(version):
    """What a batched test is asked for under each tool of such a compute-sanitizer."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        says = f'echo "Version {version} (build 1)"'
        fake(folder, "compute-sanitizer", f'[ "$1" = --version ] && {says} || echo "$*" >> {log}')
        status, out, error = gpu_test(fake(folder, "batched_test_lu", "exit 0 # --uninitialised"), tools=folder)
        assert status == 0 and not error and re.search(r"gpu-test: all 5 ran clean in \d+ s\n$", out), (status, out, error)
        with open(log) as file:
            runs = [line.split(" --gpu ") for line in file.read().splitlines()]
    assert [run[0].split()[1] for run in runs if "--kernel-name kns=_cuda" in run[0]] == ["racecheck"], runs
    return {run[0].split()[1]: run[1] for run in runs}


def misfit(version):
    """What becomes of a variant that stops shocklet, as it is made for other shapes, under such a compute-sanitizer."""
    with tempfile.TemporaryDirectory() as folder:
        asked = f'[ "$1" = --version ] && echo "Version {version} (build 1)" && exit'
        fake(folder, "compute-sanitizer", asked + '; while [ "${1#/}" = "$1" ]; do shift; done; exec "$@"')
        says = "echo \"shocklet: step 1: the chosen variant can't do this shape\" >&2"
        first = 'case $1 in --variants) echo "- gemm cuda.warp yes yes"; exit ;; --check) exit ;; esac'
        return gpu_test(fake(folder, "shocklet", f"{first}\n{says}\nexit 2"), tools=folder)


def interrupted():
    """What a run says that is ended by a signal after its first test, within its second."""
    with tempfile.TemporaryDirectory() as folder:
        good, slow = fake(folder, "a_test_good", "exit 0"), fake(folder, "a_test_slow", f"touch {folder}/begun; sleep 60")
        command = ["bash", os.path.join(SOURCE, "scripts", "gpu-test"), "--no-tools", good, slow]
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(folder, "begun")):
            time.sleep(0.01)
        said = select.select([run.stdout], [], [], 40)[0]  # of the first, while the second runs
        run.send_signal(signal.SIGTERM)
        out, error = run.communicate(timeout=50)
        assert said, "what ended is not said before all has"
        return run.returncode, out, error


def main():
    status, out, error = interrupted()
    assert status == 143 and re.match(r"a_test_good +tests +ok ", out) and "ended by a signal" in out and not error, (status, out, error)
    everything = "--quick --misread"
    assert parts("2026.4.0.0") == dict.fromkeys(["memcheck", "racecheck", "synccheck", "initcheck"], everything)
    old = {"memcheck": everything, "racecheck": "--quick", "synccheck": everything, "initcheck": "--uninitialised"}
    assert parts("2025.3.1.0") == old
    for version, tools in ("2026.4.0.0", 4), ("2025.3.1.0", 3):
        status, out, error = misfit(version)
        rows = out.count("cuda.warp hex"), out.count("does not fit")
        assert status == 0 and not error and rows == (tools, tools), (status, out, error)
    for words in ["--foo"], ["--limit"], ["--limit", "x"], ["--jobs", "0"], ["/none/a_test"], ["/tmp"]:
        status, out, error = gpu_test(*words)
        assert status == 2 and not out and len(error.splitlines()) == 1 and words[0] in error, (words, status, error)
    with tempfile.TemporaryDirectory() as folder:
        good, bad = fake(folder, "a_test_good", "exit 0"), fake(folder, "a_test_bad", "echo why; exit 1")
        skipped, app = fake(folder, "a_test_skipped", "exit 77"), fake(folder, "shocklet", "exit 0")
        for programs in [skipped], [app], [skipped, app]:
            status, out, error = gpu_test("--no-tools", *programs)
            assert status == 3 and not out and error.count("\n") == 1 and "no GPU" in error, (programs, status, out, error)
        status, out, error = gpu_test("--no-tools", good, skipped)
        assert status == 0 and re.search(r"gpu-test: all 2 ran clean in \d+ s\n$", out) and not error, (status, out, error)
        near = fake(folder, "batched_test_near", 'test "$*" != "--gpu --far" # --uninitialised')
        for words, expected in (["--no-tools"], (0, r"all 1 ran clean in \d+ s")), (["--no-tools", "--far"], (1, "1 failed")):
            status, out, error = gpu_test(*words, near)
            assert status == expected[0] and re.fullmatch("gpu-test: " + expected[1], out.splitlines()[-1]), (status, out, error)
        status, out, error = gpu_test("--no-tools", "--jobs", "2", good, bad)
        assert status == 1 and "why" in out and out.endswith("gpu-test: 1 failed\n"), (status, out, error)
        says = "echo \"gemm: the chosen variant can't do this shape\""
        for program in bad, fake(folder, "a_test_misfit", f"{says}\nexit 1"):
            status, out, error = gpu_test("--no-tools", program)
            assert status == 1 and "gpu-test: 1 failed" in out, (status, out, error)


main()
