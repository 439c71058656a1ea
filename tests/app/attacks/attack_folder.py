# SPDX-License-Identifier: BSD-3-Clause
"""Attacks on the folder of a run: a second run, kills in the middle of calls, what others plant there.  Each takes dice and an empty
folder, raises where a promise is broken, and returns what came of it, in a word or two."""
import json
import os
import re
import socket
import stat
import subprocess
import tempfile
import time

from restarts import checkpoints, content, shocklet

LAUNCH = os.path.join(os.environ["SHOCKLET_SOURCE"], "scripts", "launch")
LIBRARY = os.path.join(os.environ["SHOCKLET_BUILD"], "tests", "libfailing_io.so")
OUTPUT = "output: {directory: out, checkpoint_every: %d, keep: %d, fields_every: %d, history_every: %d, probes: [%s]}"
DECKS = {
    "sedov": "{problem: {name: sedov}, mesh: {dim: 1, zones: [6]}, time: {max_steps: 14}, " + OUTPUT % (1, 99999, 4, 2, "0.3") + "}",
    "noh": "{problem: {name: noh}, mesh: {dim: 2, zone: triangle, zones: [2, 2]}, time: {max_steps: 9}, " + OUTPUT % (2, 2, 3, 1, "0.3, 0.4") + "}",
    "triple-point": "{problem: {name: triple-point}, mesh: {dim: 2, zones: [7, 3]}, time: {max_steps: 9}, " + OUTPUT % (1, 99999, 0, 1, "") + "}",
}
FINAL = re.compile(r"((checkpoint|fault)_\d+\.h5|.*\.vtkhdf|.*\.vtkhdf\.series|(history|probes|profile)\.csv)$")
wholes = {}


def begin(folder, name, words=(), ranks=0, **more):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "deck.yaml"), "w") as file:
        file.write(DECKS[name] + "\n")
    return shocklet(folder, ["deck.yaml", *words], ranks, wait=False, **more)


def end(run, limit=60):
    """(exit status, what it said); the run is killed where it does not end."""
    try:
        err = run.communicate(timeout=limit)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        raise
    return run.returncode, "\n".join(line for line in err.splitlines() if line.startswith("shocklet:"))


def files(folder):
    """{name: bytes} of what has a final name."""
    out = os.path.join(folder, "out")
    names = os.listdir(out) if os.path.isdir(out) else []
    return {name: content(os.path.join(out, name)) for name in names if FINAL.match(name) and os.path.isfile(os.path.join(out, name))}


def whole(name, words, ranks):
    """The files of a run that nobody disturbs."""
    key = name, *words, ranks
    if key not in wholes:
        with tempfile.TemporaryDirectory() as folder:
            status, said = end(begin(folder, name, words, ranks))
            assert status == 0, f"{key}: {status}: {said}"
            wholes[key] = files(folder)
    return wholes[key]


# ---------------------------------------------------------------------- two runs in one folder


def is_of(name, data, run):
    """Is it this run's file, perhaps of the middle of the run?"""
    if name.endswith(".series") and name in run:
        return all(entry in json.loads(run[name])["files"] for entry in json.loads(data)["files"])
    return run.get(name) == data or (name.endswith(".csv") and run.get(name, b"").startswith(data))


def are_of(found, run):
    return all(is_of(name, data, run) for name, data in found.items())


def pair(chance, folder):
    runs = []
    for _ in range(2):
        words = [f"time.cfl={chance.choice([0.3, 0.4])}", "output.keep=99999"] + chance.choice([[], [], ["output.overwrite=true"]])
        name, ranks = chance.choice(list(DECKS)), chance.choice([0, 0, 1, 2])
        runs.append((name, words, ranks, whole(name, words, ranks)))
    started = []
    for name, words, ranks, _ in runs:
        where = os.path.join(folder, str(len(started)))  # the decks differ, the folder is the same
        os.makedirs(where)
        os.makedirs(os.path.join(folder, "out"), exist_ok=True)
        os.symlink("../out", os.path.join(where, "out"))
        started.append(begin(where, name, words, ranks))
        time.sleep(chance.choice([0, 0.02, 0.3]) * chance.random())
    victim = chance.choice([None, None, 0, 1])
    if victim is not None and runs[victim][2] == 0:
        time.sleep(0.2 * chance.random())
        started[victim].kill()
    ended = [end(run) for run in started]
    what = f"{[run[:3] for run in runs]}, {victim} killed: {ended}"
    for status, said in ended:
        words = {0: "", -9: "", 2: "holds files of another run", 3: "another run writes here"}
        assert status in words and words[status] in said, what
    found = files(folder)
    assert any(are_of(found, run[3]) for run in runs), f"{what}: {sorted(found)} are of neither run"
    good = [run[3] for run, (status, _) in zip(runs, ended) if status == 0]
    assert good or victim is not None, f"{what}: each refused the other"
    assert not good or any(found == files_of for files_of in good) or -9 in [status for status, _ in ended], f"{what}: {sorted(found)}"
    return " and ".join(str(status) for status in sorted(status for status, _ in ended))


# ---------------------------------------------------------------------- kills


def complete(folder, files_of, what):
    """A file with its final name is complete."""
    for name, data in files(folder).items():
        if name.endswith((".h5", ".vtkhdf")) and name in files_of:
            assert data == files_of[name], f"{what}: {name} is another file"


def kill(chance, folder):
    """At calls drawn at random, until nothing is left to be killed; then the run goes on to its end."""
    name, ranks, kills, told = chance.choice(list(DECKS)), chance.choice([0, 0, 2]), 0, []
    files_of = whole(name, [], ranks)
    for _ in range(chance.choice([1, 1, 2, 5])):
        number, how, rank = int(400 ** chance.random()), chance.choice(["at", "half"]), chance.randrange(max(ranks, 1))
        mark = os.path.join(folder, "mark")
        inside = ["env", f"LD_PRELOAD={LIBRARY}", "FAIL_FOLDER=out/", f"FAIL_AT={number}", f"FAIL_KILL={how}", f"FAIL_RANK={rank}", f"FAIL_MARK={mark}",
                  "ASAN_OPTIONS=verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")]
        words = ["--restart", "latest"] if checkpoints(folder) else []
        status, said = end(begin(folder, name, words, ranks, inside=inside, before=[LAUNCH] if ranks else []))
        told.append(f"{how} call {number} of rank {rank}")
        complete(folder, files_of, f"{name} on {ranks} ranks, killed {told}")
        if not os.path.exists(mark):
            assert status == 0, f"{told}: {status}: {said}"
            break
        os.unlink(mark)
        kills += 1
    what = f"{name} on {ranks} ranks, killed {told}"
    if checkpoints(folder):
        status, said = end(begin(folder, name, [], ranks))
        assert status == 2 and "holds files of another run" in said, f"{what}: began anew: {status}: {said}"
    status, said = end(begin(folder, name, ["--restart", "latest"] if checkpoints(folder) else [], ranks))
    assert status == 0, f"{what}: {status}: {said}"
    left = [file for file in os.listdir(os.path.join(folder, "out")) if not FINAL.match(file)]
    found = files(folder)
    different = sorted(file for file in set(found) | set(files_of) if found.get(file) != files_of.get(file) and (file in files_of or not file.endswith(".h5")))
    assert not left and not different, f"{what}: {left} left, {different} differ"
    return f"with {kills} kills"


# ---------------------------------------------------------------------- what is planted

NAMES = ["history.csv", "probes.csv", "profile.csv", "run.lock", "stop", "checkpoint", "checkpoint_000002.h5", "checkpoint_000005.h5",
         "checkpoint_000006.h5", "NAME_000004.vtkhdf", "NAME_000003.vtkhdf", "NAME.vtkhdf.series", "old-1", "history.csv.0123456789abcdef.part",
         "checkpoint_000002.h5.0123456789abcdef.part", "fault_000003.h5", "../r.json"]


def put(kind, where, outside):
    """Something under this name; outside: a folder with the file `precious`."""
    precious = os.path.join(outside, "precious")
    if kind == "pipe":
        os.mkfifo(where)
    elif kind == "folder":
        os.makedirs(os.path.join(where, "inner"))
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            here = os.getcwd()
            os.chdir(os.path.dirname(where))  # names of sockets are short
            made.bind(os.path.basename(where))
            os.chdir(here)
    elif kind == "device":
        os.mknod(where, 0o666 | stat.S_IFCHR, os.makedev(1, 7))  # /dev/full
    elif kind == "hard link":
        os.link(precious, where)
    elif kind == "text":
        with open(where, "w") as file:
            file.write("a text of somebody else\n")
    else:
        os.symlink({"link": precious, "link to nothing": os.path.join(outside, "nothing"), "link to a folder": outside,
                    "link to itself": os.path.basename(where)}[kind], where)


KINDS = ["pipe", "folder", "socket", "device", "hard link", "text", "link", "link to nothing", "link to a folder", "link to itself"]


def plant(chance, folder):
    deck, ranks, kind = chance.choice(["sedov", "noh"]), chance.choice([0, 0, 0, 2]), chance.choice(KINDS)
    name = chance.choice(NAMES).replace("NAME", deck)
    if name == "../r.json" and kind == "pipe":
        kind = "link"  # a report may go through a pipe, when somebody reads it
    words, when = chance.choice([[], [], ["output.overwrite=true"], ["--restart", "latest"]]), chance.choice(["before", "before", "later"])
    what = f"{deck} {' '.join(words)} on {ranks} ranks, {when} a {kind} as {name}"
    outside, out = os.path.join(folder, "outside"), os.path.join(folder, "out")
    os.makedirs(outside)
    with open(os.path.join(outside, "precious"), "w") as file:
        file.write("precious")
    os.makedirs(out)
    if words == ["--restart", "latest"]:
        assert end(begin(folder, deck, ["time.max_steps=4"]))[0] == 0
    where = os.path.normpath(os.path.join(out, name))
    if when == "later":
        run = begin(folder, deck, [*words, "--report", "r.json", "time.max_steps=200"], ranks)
        time.sleep(0.05 + 0.3 * chance.random() + 0.2 * (ranks > 0))
    if os.path.lexists(where):
        os.unlink(where)
    try:
        put(kind, where, outside)
    except PermissionError:
        put("link", where, outside)
    except FileExistsError:
        pass  # the run was faster
    if when == "before":
        run = begin(folder, deck, [*words, "--report", "r.json"], ranks)
    status, said = end(run)
    what += f": {status}: {said}"
    assert content(os.path.join(outside, "precious")) == b"precious", what
    assert os.listdir(outside) == ["precious"], what
    assert status in (0, 2, 3) and (status == 0 or len(said.splitlines()) >= 1), what
    if when == "before" and kind == "text" and words != ["output.overwrite=true"] and FINAL.match(name) and name in os.listdir(out) + ["history.csv"]:
        assert status == 0 or content(where).startswith(b"a text"), what
    for entry in os.scandir(out):
        assert status or not FINAL.match(entry.name) or entry.is_file(follow_symlinks=False) or os.path.lexists(where), f"{what}: {entry.name}"
    return f"exit status {status}"
