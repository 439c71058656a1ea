# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""`batched_test_<op> --bench` measures what its words say, and refuses those that say nothing."""
import csv
import os
import subprocess

BIN = os.path.join(os.environ["SHOCKLET_BUILD"], "bin")
PROGRAM = os.path.join(BIN, "batched_test_scal")


def bench(*words, op="scal"):
    program = os.path.join(BIN, "batched_test_" + op)
    done = subprocess.run([program, "--bench", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.returncode, done.stdout, done.stderr


for word in ("orders=8", "space=gpu", "layout=loose", "n=", "n", "--help", "n=abc", "n=8,", "n=-1", "n=8x8", "shape=81x8", "shape=8x8x8x8",
             "types=x", "count=0", "threads=0", "nrhs=x", "flags=", "=8"):
    status, out, error = bench("count=10", word)
    assert status == 2 and not out and f"--bench: {word} is none of space=host|cuda" in error, (word, status, error)
for word in "rows=fast", "rows=host.ref,host.re", "rows=auto,":
    status, out, error = bench("count=10", word)
    assert status == 2 and not out and error.startswith(f"--bench: {word}: the rows of scal are auto, host.") and ", host.ref" in error, (word, error)
# Words that the operation has no use for, or not beside each other.
for op, words, sentence in (
    ("gemm", ["n=8", "flags=36"], "flags=36: those of gemm are 0 to 35"),
    ("scal", ["n=8", "flags=99"], "flags=99: those of scal are 0 to 2"),
    ("gemm", ["shape=8x8x8", "n=4"], "shape=8x8x8 gives all sizes: n=, nrhs= and k= can't stand beside it"),
    ("potrs", ["shape=8x2x0", "nrhs=1"], "shape=8x2x0 gives all sizes: n=, nrhs= and k= can't stand beside it"),
    ("potrf", ["n=8", "nrhs=3"], "nrhs=3: potrf takes no nrhs=; shape=MxNxK gives all sizes"),
    ("gels", ["n=8", "nrhs=3"], "nrhs=3: gels takes no nrhs=; shape=MxNxK gives all sizes"),
    ("trsm", ["n=8", "nrhs=3", "flags=1"], "nrhs=3: trsm takes no nrhs=; shape=MxNxK gives all sizes"),
    ("potrs", ["n=8", "k=3"], "k=3: potrs takes no k="),
    ("potrf", ["n=8", "layout=shared"], "layout=shared: potrf has no operand that a batch can share"),
):
    status, out, error = bench("count=10", *words, op=op)
    assert status == 2 and not out and error == f"--bench: {sentence}\n", (op, words, status, error)
for op, words, sizes in (("potrs", ["n=8", "nrhs=3"], "8,3,8"), ("gemm", ["n=8", "nrhs=3", "k=2"], "8,3,2"), ("gels", ["n=8", "k=2"], "8,8,2")):
    status, out, error = bench("count=10", "rows=host.ref", *words, op=op)
    assert status == 0 and f"{op},host.ref,d,{sizes},0,dense,10," in out, (op, words, status, out, error)
status, out, error = bench("n=2", "count=10", "space=cuda")
assert status == 0 or (status == 77 and error.startswith("--bench: ") and "or CUDA" not in error), (status, error)
status, out, error = bench("n=2,3", "types=dz", "count=10", "rows=host.ref", "layout=array")
rows = list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))
assert status == 0 and not error, (status, error)
measured = {(row["type"], row["m"], row["count"], row["layout"]) for row in rows if row["variant"] == "host.ref"}
assert measured == {(t, m, "10", "array") for t in "dz" for m in "23"}, measured
for words, wanted in (["--help"], 0), (["bench"], 2):
    done = subprocess.run([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == wanted and "--bench [WORD ...]" in done.stdout and "RUN" not in done.stdout, (words, done)
