# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# timeout: 1500
"""One bit of a double flips in the memory of a run: where that changes its results, most are noticed.  SHOCKLET_THOROUGH=2 flips 200.

The run is stopped at a random step, its anonymous memory read and written through /proc/PID/mem, and goes on.
"""
import math
import os
import random
import re
import signal
import struct
import tempfile
import time

import program
from restarts import PATIENCE, THOROUGH, prepare, shocklet

DECKS = {
    "2d": "{problem: {name: sedov}, mesh: {dim: 2, zones: [12, 12], refine: 0}, time: {max_steps: 120}, output: {fields_every: 0, %s}}",
    "3d": "{problem: {name: triple-point}, mesh: {dim: 3, zones: [7, 3, 2], refine: 0}, time: {max_steps: 40}, output: {fields_every: 0, %s}}",
}
ALLOWED = 1e-12  # what changes a result less than this is no harm


def memory_of(process):
    """[(begin, end)] of memory that is written to and is of no file."""
    areas = []
    with open(f"/proc/{process}/maps") as file:
        for line in file:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw-p \S+ \S+ 0 +(\[heap\])?$", line.rstrip())
            if found:
                areas.append((int(found.group(1), 16), int(found.group(2), 16)))
    return areas


def flip(process, chance):
    """One bit of one double of a sensible size; returns a word about it."""
    areas = memory_of(process)
    if not areas:
        return None  # it has ended
    sizes = [end - begin for begin, end in areas]
    if sum(sizes) > 1 << 40:
        raise PermissionError("the shadow memory of a sanitizer")
    with open(f"/proc/{process}/mem", "r+b", buffering=0) as memory:
        for _ in range(100000):
            begin, end = chance.choices(areas, sizes)[0]
            at = begin + 8 * chance.randrange((end - begin) // 8)
            memory.seek(at)
            (bits,) = struct.unpack("<Q", memory.read(8))
            (value,) = struct.unpack("<d", struct.pack("<Q", bits))
            if not math.isfinite(value) or not 1e-30 < abs(value) < 1e30:
                continue
            bit = chance.randrange(64)
            memory.seek(at)
            memory.write(struct.pack("<Q", bits ^ (1 << bit)))
            return f"bit {bit} of {value:.17g} at {at:x}"
    raise AssertionError("no double found")


def results(folder):
    try:
        with open(os.path.join(folder, "r.json")) as file:
            report = program.json.load(file)
        return report["status"], [report["norm"][key] for key in "evx"] + [report["time"], report["steps"]]
    except (OSError, ValueError):
        return "none", []


def differ(a, b):
    return len(a) != len(b) or any(x is None or y is None or not abs(x - y) <= ALLOWED * abs(y) for x, y in zip(a, b))


def run(folder, deck, steps=None, chance=None):
    """A run, in which a bit flips after so many steps."""
    prepare(folder, deck, "progress: lines")
    process = shocklet(folder, ["deck.yaml", "--report", "r.json"], 0, wait=False, quiet=False)
    what, line = "", "it begins"
    while steps is not None and line and not what:
        line = process.stdout.readline()
        found = re.match(r" +(\d+) ", line)
        if found and int(found.group(1)) >= steps:
            time.sleep(0.01 * chance.random())  # some steps more, and any place in one
            os.kill(process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT | os.WEXITED)
            if process.poll() is None:
                try:
                    what = flip(process.pid, chance)
                except (PermissionError, AssertionError):
                    process.kill()
                    process.wait()
                    raise
                os.kill(process.pid, signal.SIGCONT)
    _, err = process.communicate(timeout=PATIENCE)
    return what, process.returncode, err


def most_flips_that_matter_are_noticed():
    with open(os.environ["SHOCKLET"], "rb") as file:
        if b"__asan_init" in file.read():
            print("most of the memory is a sanitizer's")
            raise SystemExit(77)
    chance = random.Random(int(os.environ.get("SHOCKLET_SEED", "7")))
    count = {1: 24, 2: 200}.get(THOROUGH, 10)
    matters = noticed = flips = false = 0
    with tempfile.TemporaryDirectory() as root:
        for name, deck in DECKS.items():
            status, code, err = run(os.path.join(root, name), deck)
            assert code == 0 and "warning: step" not in err, err
            whole = results(os.path.join(root, name))
            for i in range(count // len(DECKS)):
                folder = os.path.join(root, f"{name}-{i}")
                try:
                    what, code, err = run(folder, deck, chance.randrange(1, 35 if name == "3d" else 110), chance)
                except PermissionError as error:
                    print(f"the memory of the program can't be written to here: not tested: {error}")
                    return
                if not what:
                    continue
                flips += 1
                told = code != 0 or "energy balance" in err or "energy jumped" in err
                status, numbers = results(folder)
                changed = differ(numbers, whole[1])
                matters += changed
                noticed += told and changed
                false += told and not changed
                if changed or told:
                    print(f"{name}: {what}: {'noticed' if told else 'NOT NOTICED'}, {code} {err.strip()[:160]}", flush=True)
                    if not told:
                        print("   ", [abs(a - b) / abs(b) for a, b in zip(numbers, whole[1])], flush=True)
    print(f"{flips} flips, {matters} of them changed results, {noticed} of these were noticed; {false} more were noticed in time")
    assert flips > count // 2
    tried = matters + false
    least = 0.75 * tried - 2 * math.sqrt(0.75 * 0.25 * tried)  # three of four, less two standard deviations: of 24 flips few matter
    assert noticed + false >= least, f"{noticed + false} of {tried}"


program.main([most_flips_that_matter_are_noticed])
