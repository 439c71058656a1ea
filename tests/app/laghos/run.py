# SPDX-License-Identifier: BSD-3-Clause
"""run.py [--ranks N] [--rows NAME,...] [key=value ...]: whole runs against those of the Laghos mini-app.

NAME is the id of a row of runs.csv (R1 ... R9 are the table in Laghos's README), a size (short, medium, long), or all.
A row passes when the number of steps is Laghos's and the 2-norm of the energy coefficients differs by no more than the
row's tolerance, the other norms and the internal energy by ten times that, and the velocity error by 1e-7.
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


def rows(names):
    """The rows of the file that are named, by id or size, in its order."""
    with open(os.path.join(HERE, "runs.csv"), newline="") as file:
        table = list(csv.DictReader(file))
    known = {"all"} | {row[key] for row in table for key in ("id", "size")}
    if set(names) - known:
        sys.exit(f"run.py: no row is called {', '.join(sorted(set(names) - known))}; there are {', '.join(sorted(known))}")
    return [row for row in table if {"all", row["id"], row["size"]} & set(names)]


def deck_of(row):
    """The keys of a row; mesh files stand beside the table."""
    keys = program.keys_of(word.replace(";", ",") for word in row["deck"].split())
    if "mesh.file" in keys:
        keys["mesh.file"] = os.path.join(HERE, keys["mesh.file"])
    return keys


def differences(row, report):
    """(name, relative difference, what is allowed) of all figures that the row has."""
    tolerance = float(row["tolerance"])
    pairs = [("|e|", report["norm"]["e"], row["energy_norm"], tolerance),
             ("|v|", report["norm"]["v"], row["velocity_norm"], 10 * tolerance),
             ("|x|", report["norm"]["x"], row["position_norm"], 10 * tolerance),
             ("internal", report["energy"]["internal"], row["internal_energy"], 10 * tolerance)]
    if row["velocity_l2_error"]:
        pairs.append(("error", report["error"]["velocity"]["l2"], row["velocity_l2_error"], 1e-7))
    return [(name, program.relative(got, float(want)), allowed) for name, got, want, allowed in pairs]


def check(row, ranks, overrides):
    """Runs a row, prints its line, says whether it passes."""
    begin = time.monotonic()
    try:
        report = program.run({**deck_of(row), **overrides}, ranks)
    except AssertionError as error:
        print(f"{row['id']:4} {ranks:5d} {error}", flush=True)
        return False
    found = differences(row, report)
    wrong = [name for name, difference, allowed in found if not difference <= allowed]
    wrong += ["steps"] if report["steps"] != int(row["steps"]) else []
    columns = " ".join(f"{difference:8.1e}" for _, difference, _ in found) + (" " * 9 if len(found) == 4 else "")
    print(f"{row['id']:4} {ranks:5d} {report['steps']:6d} {row['steps']:>6} {columns} {time.monotonic() - begin:8.1f}"
          + (f"  WRONG: {', '.join(wrong)}" if wrong else ""), flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split(":")[0], description=__doc__.split("\n\n")[1])
    parser.add_argument("--ranks", type=int, default=1, metavar="N")
    parser.add_argument("--rows", default="all", metavar="NAME,...")
    parser.add_argument("overrides", nargs="*", metavar="key=value")
    words = parser.parse_args()
    if any("=" not in word for word in words.overrides):
        parser.error("what follows the options has to be key=value")
    print(HEADER, flush=True)
    passed = [check(row, words.ranks, program.keys_of(words.overrides)) for row in rows(words.rows.split(","))]
    print(f"{sum(passed)} of {len(passed)} rows agree with Laghos", flush=True)
    sys.exit(0 if passed and all(passed) else 1)


main()
