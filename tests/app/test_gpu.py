# SPDX-License-Identifier: BSD-3-Clause
# label: gpu
# processors: 8
"""Whole runs on a GPU: they take the steps that the host takes, whatever the deck, the variants and the number of ranks that share the
GPU; the same run twice gives the same bits, and so does one that goes on from a checkpoint.

usage: test_gpu.py [TEST ...] [KEY ...]: decks variants ranks restart faults; kernels to vary.  SHOCKLET names the program.
"""
import concurrent.futures
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading

import program

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JOBS = int(os.environ.get("SHOCKLET_JOBS", "8"))
# Open MPI binds the ranks of every run to the first cores, which several runs at once would share.
os.environ.setdefault("OMPI_MCA_hwloc_base_binding_policy", "none")
# Solves to round-off, so that runs that add in another order agree to nearly as many digits.
EXACT = ["solvers.velocity.tolerance=1e-14", "solvers.energy.tolerance=1e-14"]
SMALL = ["output.fields_every=0", "output.checkpoint_every=0", "output.progress=none"]
ALLOWED = 1e-10
# What the variants are tried on: every dimension, viscosity and none, gravity, a source, moving walls, seams.
CASES = {
    "sedov-3d": ["problem.name=sedov", "mesh.dim=3", "mesh.zones=[3,2,2]", "mesh.refine=0", "time.max_steps=6"],
    "sedov-3d-rk2avg": ["problem.name=sedov", "mesh.dim=3", "mesh.zones=[2,2,3]", "mesh.refine=0", "time.max_steps=6",
                        "time.integrator=rk2avg", "discretization.kinematic_order=3", "discretization.thermodynamic_order=2"],
    "taylor-green-2d": ["problem.name=taylor-green", "mesh.dim=2", "mesh.zones=[5,4]", "mesh.refine=0", "time.max_steps=6"],
    "rayleigh-taylor": ["problem.name=rayleigh-taylor", "mesh.dim=2", "mesh.refine=1", "time.max_steps=6",
                        "discretization.kinematic_order=4", "discretization.thermodynamic_order=3"],
    "sedov-3d-repeated": ["problem.name=sedov", "mesh.dim=3", "mesh.zones=[3,2,2]", "mesh.refine=0", "time.cfl=1.5", "time.max_steps=12"],
    "sod": ["problem.name=sod", "time.max_steps=6"],
    "periodic-3d": ["problem.name=taylor-green", "mesh.dim=3", "mesh.zones=[4,3,3]", "mesh.upper=[2,2,2]", "mesh.refine=0",
                    "mesh.periodic=xyz", "time.max_steps=6"],
    "sedov-q1": ["problem.name=sedov", "mesh.dim=2", "mesh.zones=[7,5]", "mesh.refine=0", "time.max_steps=6",
                 "discretization.kinematic_order=1", "discretization.thermodynamic_order=0"],
}
# Kernels of one set are varied together, the first row of each in one run, then the second of each, and so on; with what has to be
# chosen beside them for them to run at all, and on how many of the cases.
SETS = [(["corner_force", "velocity_mass", "energy_mass"], [], 8),
        (["pcg", "vector"], [], 3),
        (["zone_inverse"], ["solvers.velocity.preconditioner=zone_inverse"], 8),
        (["spmv", "gemm", "gemv", "heev", "gesvd", "potrf", "potrs"],
         ["kernels.velocity_mass=cuda.csr", "kernels.corner_force=cuda.batched", "kernels.energy_mass=cuda.potrs"], 2)]
KEYS = [key for keys, _, _ in SETS for key in keys]
# Their kernels wait for those of other ranks; of several such runs at once under MPS one may wait until its limit.
WAITING = {f"kernels.pcg={row}" for row in ("cuda.peers", "cuda.looped", "cuda.mixed_looped")}
ONE_WAITS = threading.Lock()


class DoesNotFit(Exception):
    """A variant that can't do the shape says so, and nothing is wrong."""


def run(words, ranks=1, folder=None, options=()):
    """The report of a run that has to succeed, unless a variant does not fit."""
    with tempfile.TemporaryDirectory() as scratch:
        file = os.path.join(scratch, "report.json")
        deck = [os.path.join(scratch, "deck.yaml")] if not any(w.endswith(".yaml") for w in words) and not options else []
        for name in deck:
            with open(name, "w") as opened:
                opened.write("{problem: {name: sedov}}\n")
        command = [os.environ.get("SHOCKLET_MPIEXEC", "mpiexec"), "-n", str(ranks)] if ranks > 1 else []
        command += [os.environ["SHOCKLET"], "--quiet", "--report", file, *options, *deck, *words]
        command += [] if options else ["output.directory=" + (folder or scratch)]
        with ONE_WAITS if ranks > 1 and WAITING.intersection(words) else contextlib.nullcontext():
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=250,
                                  env=program.apart() if ranks > 1 else program.alone())
        if done.returncode == 2 and "can't do this shape" in done.stderr:
            raise DoesNotFit
        assert done.returncode == 0, f"exit status {done.returncode}: {' '.join(words)}\n{done.stderr}"
        with open(file) as opened:
            return json.load(opened)


def figures(report):
    """What a run came to, in full digits."""
    return {**{f"|{k}|": v for k, v in report["norm"].items()}, "internal": report["energy"]["internal"],
            "kinetic": report["energy"]["kinetic"], "time": report["time"], "dt": report["dt"],
            **{f"error {q}": max(v.values()) if isinstance(v, dict) else v for q, v in report.get("error", {}).items()}}


def agree(got, want, what, allowed=ALLOWED):
    """The same steps and figures; returns the largest relative difference."""
    for count in ("steps", "attempts", "zones"):
        assert got[count] == want[count], f"{what}: {got[count]} {count}, {want[count]} on the host"
    have, should = figures(got), figures(want)
    scale = {k: abs(v) or 1.0 for k, v in should.items()}
    scale["kinetic"] += scale["internal"]
    scale.update({k: 1.0 for k in should if k.startswith("error")})  # of quantities about 1; may be as small as round-off
    worst = max((abs(have[k] - v) / scale[k], k) for k, v in should.items())
    assert worst[0] <= allowed, f"{what}: {worst[1]} differs by {worst[0]:.1e}"
    return worst[0]


def each(function, items, say=True):
    """function(item) for all, some at the same time: the results, said as they come; all complaints together."""
    results, complaints = [], []
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for future in [pool.submit(function, item) for item in items]:
            try:
                results.append(future.result())
                if say:
                    print(f"  {results[-1]}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                complaints.append(str(error))
    assert not complaints, "\n".join(complaints)
    return results


def shorten(deck):
    """Keys that make a deck of inputs/ small."""
    with open(deck) as file:
        text = file.read()
    kernels = ["kernels.corner_force=batched"] if "corner_force: batched" in text else []
    return ["mesh.zones_per_rank=27" if "zones_per_rank:" in text else "mesh.refine=1", "time.max_steps=4", *kernels]


def test_decks():
    """Every deck of inputs/, on the host and on the GPU."""
    folder = os.path.join(ROOT, "inputs")

    def both(name):
        words = [os.path.join(folder, name), *shorten(os.path.join(folder, name)), *EXACT, *SMALL]
        host, cuda = (run([*words, f"kernels.backend={backend}"]) for backend in ("host", "cuda"))
        assert cuda["backend"] == "cuda" and cuda["memory"]["device_peak"] > 0
        return f"{name}: {cuda['steps']} steps, {agree(cuda, host, name):.1e}"

    each(both, sorted(name for name in os.listdir(folder) if name.endswith(".yaml")))


def combinations(without=()):
    """(choices of kernels, what is needed beside them, how many cases), so that each variant that the GPU has is chosen, but for those
    of some keys."""
    named = set([key for key in KEYS if key in sys.argv[1:]] or KEYS) - set(without)
    for keys, beside, ncases in SETS:
        rows = {key: program.variants(key, "cuda") for key in keys if key in named}
        for i in range(max(map(len, rows.values()), default=0)):
            yield [f"kernels.{key}={names[i % len(names)]}" for key, names in rows.items() if names], beside, ncases


def run_all_that_fit(deck, choices, words, ranks=1):
    """The reports of runs with all choices at once, or, where one of them is not made for this shape, with each that is."""
    try:
        return [run([*deck, *choices, *words], ranks)]
    except DoesNotFit:
        reports = []
        for choice in choices if len(choices) > 1 else []:
            try:
                reports.append(run([*deck, choice, *words], ranks))
            except DoesNotFit:
                pass
        return reports


def compare(choices, beside, cases, want, ranks=1):
    """A combination on the cases agrees with the host, and on the first of three with itself to the bit."""
    words = [*EXACT, *SMALL, *beside, "kernels.backend=cuda"]
    worst, fits = 0.0, False
    for number, case in enumerate(cases):
        what = f"{' '.join(choices)}, {case}, {ranks} ranks"
        reports = run_all_that_fit(CASES[case], choices, words, ranks)
        fits = fits or bool(reports)
        for report in reports:
            assert report["ranks"] == ranks and report["gpus"] >= 1
            worst = max(worst, agree(report, want[case], what))
        if number % 3 == 0:
            again = run_all_that_fit(CASES[case], choices, words, ranks)
            assert [figures(r) for r in again] == [figures(r) for r in reports], f"{what}: the same run twice gives different bits"
    return f"{' '.join(choices)}: " + (f"{worst:.1e}" if fits else "does not fit")


def vary(cases, ranks, without=()):
    """All combinations, each on the first of the cases."""
    want = dict(zip(cases, each(lambda case: run([*CASES[case], *EXACT, *SMALL, "kernels.backend=host"]), cases, say=False)))
    each(lambda item: compare(item[0], item[1], cases[:item[2]], want, ranks), list(combinations(without)))


def test_variants():
    """Every variant on the GPU agrees with the host, and with itself to the bit, on one rank."""
    vary(list(CASES), 1)


def test_ranks():
    """Every variant of the operators, and what their solvers are made of, on two ranks that share the GPU."""
    vary(["sedov-3d", "sedov-3d-repeated", "taylor-green-2d", "periodic-3d"], 2,
         without=["vector", "gemm", "gemv", "heev", "gesvd", "potrf", "potrs"])


def test_restart():
    """A run on a GPU that goes on from a checkpoint ends with the bits of one that was not cut."""
    def cut(item):
        case, ranks = item
        with tempfile.TemporaryDirectory() as scratch:
            words = [*CASES[case], "output.progress=none", "output.keep=100", "output.checkpoint_every=1", "kernels.backend=cuda"]
            want = run(words, ranks, os.path.join(scratch, "whole"))
            middle = os.path.join(scratch, "whole", "checkpoint_000003.h5")
            got = run(["output.directory=" + os.path.join(scratch, "part")], ranks, options=["--restart", middle])
            assert figures(got) == figures(want), f"{case}, {ranks} ranks: {figures(got)}, not {figures(want)}"
        return f"{case}, {ranks} ranks: {got['steps']} steps, the same bits"

    each(cut, [(case, ranks) for case in ("sedov-3d", "sedov-3d-repeated", "sedov-3d-rk2avg", "rayleigh-taylor") for ranks in (1, 2)])


def test_faults():
    """No GPU: one sentence, exit status 3, on any number of ranks.  A GPU without room: test_setup.c."""
    for ranks in (1, 2):
        with tempfile.TemporaryDirectory() as scratch:
            command = [os.environ.get("SHOCKLET_MPIEXEC", "mpiexec"), "-n", str(ranks), "env", "CUDA_VISIBLE_DEVICES=",
                       os.environ["SHOCKLET"], os.path.join(ROOT, "inputs", "sedov-2d.yaml"), "kernels.backend=cuda",
                       "output.directory=" + scratch]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=10)
            said = [line for line in done.stderr.splitlines() if line.startswith("shocklet: ")]
            assert done.returncode == 3 and len(said) == 1 and "no CUDA-capable device" in said[0], (done.returncode, done.stderr)
            print("  " + said[0], flush=True)


TESTS = [test_decks, test_variants, test_ranks, test_restart, test_faults]


def main():
    named = [test for test in TESTS if test.__name__ in {"test_" + word for word in sys.argv[1:]}] or TESTS
    if not program.variants("corner_force", "cuda"):
        print("SKIPPED: no CUDA device, or CUDA was not built")
        raise SystemExit(77)
    program.main(named)


main()
