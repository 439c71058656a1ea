# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the Laghos mini-app, repeated.

usage: run.py [--ranks N] [--rows NAME,...] [--each KEY] [--looser FACTOR] [key=value ...]

NAME is the id of a row of runs.csv (R1 ... R9 are the table in Laghos's README), a size (brief, short, medium, long), or all.
A row passes when the number of steps is Laghos's and the 2-norm of the energy coefficients differs by no more than the
row's tolerance, the other norms and the internal energy by ten times that, and the velocity error by 1e-7.
--each runs the rows with every variant of a kernel, --looser multiplies what is allowed.
"""
import argparse
import csv
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import program  # noqa: E402

HEADER = f"{'row':4} {'ranks':>5} {'steps':>6} {'Laghos':>6} {'|e|':>8} {'|v|':>8} {'|x|':>8} {'internal':>8} {'error':>8} {'seconds':>8}"


def refuse(sentence):
    print(f"run.py: {sentence}", file=sys.stderr)
    sys.exit(2)


def rows(names):
    """The rows of the file that are named, by id or size, in its order."""
    with open(os.path.join(HERE, "runs.csv"), newline="") as file:
        table = list(csv.DictReader(file))
    known = {"all"} | {row[key] for row in table for key in ("id", "size")}
    if set(names) - known:
        refuse(f"no row is called {', '.join(sorted(set(names) - known))}; there are {', '.join(sorted(known))}")
    return [row for row in table if {"all", row["id"], row["size"]} & set(names)]


def deck_of(row):
    """The keys of a row; mesh files stand beside the table."""
    keys = program.keys_of(word.replace(";", ",") for word in row["deck"].split())
    if "mesh.file" in keys:
        keys["mesh.file"] = os.path.join(HERE, keys["mesh.file"])
    return keys


def differences(row, report, looser):
    """(name, relative difference, what is allowed) of all figures that the row has."""
    tolerance = looser * float(row["tolerance"])
    pairs = [("|e|", report["norm"]["e"], row["energy_norm"], tolerance),
             ("|v|", report["norm"]["v"], row["velocity_norm"], 10 * tolerance),
             ("|x|", report["norm"]["x"], row["position_norm"], 10 * tolerance),
             ("internal", report["energy"]["internal"], row["internal_energy"], 10 * tolerance)]
    if row["velocity_l2_error"]:
        pairs.append(("error", report["error"]["velocity"]["l2"], row["velocity_l2_error"], looser * 1e-7))
    return [(name, program.relative(got, float(want)), allowed) for name, got, want, allowed in pairs]


def check(row, ranks, looser, overrides):
    """Runs a row, prints its line, says whether it passes; None: the variant is not made for such a run."""
    begin = time.monotonic()
    try:
        report = program.run({**deck_of(row), **overrides}, ranks)
    except AssertionError as error:
        if "can't do this shape" in str(error):
            print(f"{row['id']:4} {ranks:5d} does not fit", flush=True)
            return None
        print(f"{row['id']:4} {ranks:5d} {error}", flush=True)
        return False
    found = differences(row, report, looser)
    wrong = [name for name, difference, allowed in found if not difference <= allowed]
    wrong += ["steps"] if report["steps"] != int(row["steps"]) else []
    columns = " ".join(f"{difference:8.1e}" for _, difference, _ in found) + (" " * 9 if len(found) == 4 else "")
    print(f"{row['id']:4} {ranks:5d} {report['steps']:6d} {row['steps']:>6} {columns} {time.monotonic() - begin:8.1f}"
          + (f"  WRONG: {', '.join(wrong)}" if wrong else ""), flush=True)
    return not wrong


def check_all(words, table, overrides):
    """The number of rows that were run and the number of those that passed."""
    print(HEADER, flush=True)
    passed = [check(row, words.ranks, words.looser, overrides) for row in table]
    passed = [p for p in passed if p is not None]
    return len(passed), sum(passed)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:], description=__doc__.split("\n\n", 2)[2])
    parser.add_argument("--ranks", type=int, default=1, metavar="N")
    parser.add_argument("--rows", default="all", metavar="NAME,...")
    parser.add_argument("--each", metavar="KEY")
    parser.add_argument("--looser", type=float, default=1.0, metavar="FACTOR")
    parser.add_argument("--only-read", action="store_true", help=argparse.SUPPRESS)  # these words, before anything is built
    parser.add_argument("overrides", nargs="*", metavar="key=value")
    words = parser.parse_args()
    if any("=" not in word for word in words.overrides):
        parser.error("what follows the options has to be key=value")
    overrides, run, passed = program.keys_of(words.overrides), 0, 0
    table = rows(words.rows.split(","))
    if words.only_read:
        return
    choices = program.variants(words.each, overrides.get("kernels.backend", "host")) if words.each else [None]
    if not choices:
        refuse(f"kernels.{words.each} has no variants here; scripts/run --variants lists what there is")
    for variant in choices:
        if variant:
            print(f"kernels.{words.each}={variant}")
        more = check_all(words, table, {**overrides, **({f"kernels.{words.each}": variant} if variant else {})})
        run, passed = run + more[0], passed + more[1]
    print(f"{passed} of {run} runs agree with Laghos", flush=True)
    sys.exit(0 if 0 < run == passed else 1)


program.children.finish(main)
