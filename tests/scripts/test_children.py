# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""What a script has started ends with the script, be that told to end or killed, and its folders are removed where it can remove them.
None ends with a traceback."""
import os
import signal
import subprocess
import tempfile
import time

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SECONDS = 60  # to look for what will happen; no more than that is said by it


def await_that(done, what):
    for _ in range(20 * SECONDS):
        if done():
            return
        time.sleep(0.05)
    raise AssertionError(what)


def runs(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Folder:
    """A program that writes down its number and then only sleeps, by all the names under which a script may start it."""

    def __init__(self, path):
        self.path = path
        for name in "a_test_program", "mpirun", "smpirun", "ninja":
            with open(self.file(name), "w") as file:
                file.write(f'#!/bin/sh\necho $$ > "{self.file("at_once")}"\nmv "{self.file("at_once")}" "{self.file("number")}"\nexec sleep 3600\n')
            os.chmod(self.file(name), 0o755)

    def file(self, name):
        return os.path.join(self.path, name)

    def number(self):
        with open(self.file("number")) as file:
            return int(file.read())

    def ends_with(self, command, how):
        """Starts a script, ends it when its program runs, and waits for the program's end."""
        scratch = tempfile.mkdtemp(dir=self.path)
        environment = {**os.environ, "PATH": self.path + os.pathsep + os.environ["PATH"], "TMPDIR": scratch, "MPIEXEC": self.file("mpirun"),
                       "SHOCKLET_MPIEXEC": self.file("mpirun"), "SHOCKLET": self.file("a_test_program")}
        started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True)
        await_that(lambda: os.path.exists(self.file("number")), f"{command} has started nothing")
        number = self.number()
        os.remove(self.file("number"))
        try:
            assert runs(number), command
            started.send_signal(how)
            said = started.communicate(timeout=SECONDS)[1]
            await_that(lambda: not runs(number), f"{command}: its program goes on after signal {how}")
        finally:
            if runs(number):
                os.kill(number, signal.SIGKILL)
        assert "Traceback" not in said and started.returncode in (-how, 128 + how), (command, how, started.returncode, said)
        assert how == signal.SIGKILL or not os.listdir(scratch), (command, how, os.listdir(scratch))


def script(name, *words):
    return [os.path.join(SOURCE, "scripts", name), *words]


def build(root):
    """What scripts/run and scripts/test do first, where all is configured."""
    os.makedirs(os.path.join(root, "build", "release"))
    with open(os.path.join(root, "build", "release", "CMakeCache.txt"), "w") as file:
        file.write(f"CMAKE_HOME_DIRECTORY:INTERNAL={root}\n")
    with open(os.path.join(root, "build", "release", "build.ninja"), "w"):
        pass
    return ["bash", "-uc", f'root=$1; . "{SOURCE}/scripts/machine.sh"; build shocklet release; true', "bash", root]


def main():
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        program, deck = folder.file("a_test_program"), os.path.join(SOURCE, "inputs", "weak-scaling.yaml")
        for command in (script("bench", "--binary", program), script("bench", "--binary", program, "--ranks", "2"),
                        script("scaling", "--binary", program, "--ranks", "2", deck), script("simulate", "--binary", program, deck),
                        script("lowrank-figures", program),
                        ["/usr/bin/python3", os.path.join(SOURCE, "tests", "app", "laghos", "run.py"), "--rows", "R1"]):  # scripts/verify
            for how in signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP:
                folder.ends_with(command, how)
        command = build(path)
        for how in signal.SIGTERM, signal.SIGKILL:
            folder.ends_with(command, how)
        for how in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            folder.ends_with(script("gpu-test", "--no-tools", program), how)
            folder.ends_with(script("gpu-test", "--no-tools", "--jobs", "2", program), how)


main()
