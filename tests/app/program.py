# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program in a test: decks as Python dictionaries, reports back.

The environment names the program (SHOCKLET) and mpiexec (SHOCKLET_MPIEXEC), as tests/CMakeLists.txt sets it.
"""
import functools
import json
import math
import os
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import children  # noqa: E402

SESSIONS = tempfile.TemporaryDirectory()


def apart():
    """The environment of one mpiexec, with a folder of its own for Open MPI's session: where two share one, that which ends first may
    remove it while the other starts."""
    return {**os.environ, "OMPI_MCA_orte_tmpdir_base": tempfile.mkdtemp(dir=SESSIONS.name)}


def alone():
    """The environment of a process without mpiexec: it need not start Open MPI's daemon, which takes longer than a small run."""
    return {**apart(), "OMPI_MCA_ess_singleton_isolated": "1"}


def text(value):
    """A value as it is written behind key= on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(text(v) for v in value) + "]"
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def start(keys, ranks=1, report=None, directory=None, options=()):
    """Runs {key: value} to its end, with 0 ranks without mpiexec: the finished process."""
    with tempfile.TemporaryDirectory() as folder:
        deck = os.path.join(folder, "deck.yaml")
        with open(deck, "w") as file:
            file.write(f"problem: {{name: {keys['problem.name']}}}\n")
        command = [os.environ.get("SHOCKLET_MPIEXEC", "mpiexec"), "-n", str(ranks)] if ranks else []
        command += [os.environ["SHOCKLET"], "--quiet", *options]
        command += ["--report", report] if report else []
        command += [deck, f"output.directory={directory or folder}"]
        command += [f"{key}={text(value)}" for key, value in keys.items()]
        return children.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=apart() if ranks else alone())


def run(keys, ranks=1, directory=None):
    """The report of a run that has to succeed."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "report.json")
        done = start(keys, ranks, file, directory)
        if done.returncode != 0:
            raise AssertionError(f"{keys} on {ranks} ranks: exit status {done.returncode}\n{done.stderr}")
        with open(file) as opened:
            return json.load(opened)


@functools.cache
def listed():
    """What `shocklet --variants` lists, the words of each line."""
    done = subprocess.run([os.environ["SHOCKLET"], "--variants"], check=True, stdout=subprocess.PIPE, text=True)
    return [line.split() for line in done.stdout.splitlines()]


@functools.cache
def variants(key, backend):
    """The variants of a kernel that a backend has, and that this machine can run."""
    names = [words[2] for words in listed() if len(words) > 4 and words[1] == key and words[3:5] == ["yes", "yes"]]
    return [name for name in dict.fromkeys(names)
            if name.startswith(backend + ".") or (name.startswith("vendor.") and is_in(backend, key, name))]


def is_in(backend, key, variant):
    """Does this backend have that row?  A vendor's name does not say."""
    keys = {"problem.name": "sedov", "kernels.backend": backend, f"kernels.{key}": variant}
    return start(keys, 0, options=["--check"]).returncode == 0


def keys_of(words):
    """{key: value} of words like key=value."""
    return dict(word.split("=", 1) for word in words)


def relative(got, want):
    """|got - want| relative to want, absolute where want is 0."""
    return abs(got - want) / abs(want) if want else abs(got)


def orders(errors):
    """The order between neighbours of errors on meshes that are refined by two."""
    return [math.log2(coarse / fine) for coarse, fine in zip(errors, errors[1:])]


def converge(title, deck, measure, sizes, least, ranks=1):
    """Runs deck(n) for growing n, prints the errors measure(report), and wants the order, over all, to be `least`."""
    errors = [measure(run(deck(n), ranks)) for n in sizes]
    print(f"{title:40} " + " ".join(f"{e:.3e}" for e in errors) + "   order " + " ".join(f"{o:.2f}" for o in orders(errors)),
          flush=True)
    steps = math.log2(sizes[-1] / sizes[0])
    mean = math.log2(errors[0] / errors[-1]) / steps
    assert mean >= least, f"{title}: order {mean:.2f}, not {least}"


def check_energy(title, report, closed, allowed=1e-12):
    """It came to its end, and a closed system kept its energy."""
    assert report["status"] == "done" and report["steps"] > 0, f"{title}: {report['status']}, {report['steps']} steps"
    energy = report["energy"]
    drift = abs(energy["final"] - energy["initial"]) / energy["initial"]
    assert drift <= allowed if closed else math.isfinite(drift), f"{title}: the energy changes by {drift}"


def main(tests):
    """Runs the functions one after the other, tells of all that fail, and ends the program."""
    failed = 0
    for test in tests:
        try:
            test()
        except AssertionError as error:
            failed += 1
            print(f"FAILED {test.__name__}: {error}", flush=True)
    raise SystemExit(1 if failed else 0)
