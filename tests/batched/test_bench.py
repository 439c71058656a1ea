# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""`batched_test_<op> --bench` measures what its words say, and refuses those that say nothing."""
import csv
import os
import subprocess

PROGRAM = os.path.join(os.environ["SHOCKLET_BUILD"], "bin", "batched_test_scal")


def bench(*words):
    done = subprocess.run([PROGRAM, "--bench", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


for word in ("orders=8", "space=gpu", "layout=loose", "n=", "n", "--help", "n=abc", "n=8,", "n=-1", "n=8x8", "shape=81x8", "shape=8x8x8x8",
             "types=x", "count=0", "threads=0", "nrhs=x", "flags=", "rows=fast", "rows=host.ref,host.re", "rows=auto,", "=8"):
    status, out, error = bench("count=10", word)
    assert status == 2 and not out and f"--bench: {word} is none of space=host|cuda" in error, (word, status, error)
status, out, error = bench("n=2,3", "types=dz", "count=10", "rows=host.ref", "layout=array")
rows = list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))
assert status == 0 and not error, (status, error)
measured = {(row["type"], row["m"], row["count"], row["layout"]) for row in rows if row["variant"] == "host.ref"}
assert measured == {(t, m, "10", "array") for t in "dz" for m in "23"}, measured
for words, wanted in (["--help"], 0), (["bench"], 2):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == wanted and "--bench [WORD ...]" in done.stdout and "RUN" not in done.stdout, (words, done)
