# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""Where runs end and go on: what the last attempt leaves, bits after a stop by time.max_steps, and what may be named beside
--restart.  What nobody must have to search for is said."""
import csv
import os
import subprocess
import tempfile
import threading

import program
from restarts import DECKS, checkpoints, content, good, prepare, shocklet

SQUARE = """MFEM mesh v1.0

dimension
2

elements
1
1 3 0 1 2 3

boundary
4
1 1 0 1
2 1 1 2
1 1 2 3
2 1 3 0

vertices
4
2
0 0
1 0
1 1
0 1
"""


def last_row(folder, name):
    with open(os.path.join(folder, "out", name)) as file:
        return list(csv.DictReader(file))[-1]


def going_on_after_max_steps_has_the_same_bits():
    """The row that the end of the first part has is none of the whole run, where it is due only then."""
    for every in 1, 5:
        with tempfile.TemporaryDirectory() as root:
            whole, part = os.path.join(root, "whole"), os.path.join(root, "part")
            deck = "{problem: {name: sedov}, mesh: {dim: 2, zones: [3, 2]}, output: {history_every: %d, probes: [0.1, 0.1], %%s}}" % every
            for folder in whole, part:
                prepare(folder, deck)
            good(shocklet(whole, ["deck.yaml", "time.max_steps=11"], 0), "the whole run")
            good(shocklet(part, ["deck.yaml", "time.max_steps=3"], 0), "the first part")
            good(shocklet(part, ["--restart", "latest", "deck.yaml", "time.max_steps=11"], 0), "the rest")
            for name in "history.csv", "probes.csv":
                assert content(os.path.join(whole, "out", name)) == content(os.path.join(part, "out", name)), f"{every}: {name}"


def the_last_state_is_left_if_the_last_attempt_is_repeated():
    with tempfile.TemporaryDirectory() as root:
        repeated = 0
        for most in range(5, 12):
            folder = os.path.join(root, str(most))
            prepare(folder, DECKS["repeated"], "fields_every: 100, history_every: 7")
            good(shocklet(folder, ["deck.yaml", f"time.max_steps={most}", "--report", "r.json"], 0), f"{most} attempts")
            with open(os.path.join(folder, "r.json")) as file:
                report = program.json.load(file)
            repeated += report["steps"] < most
            assert int(last_row(folder, "history.csv")["step"]) == report["steps"], f"{most} attempts"
            assert float(last_row(folder, "history.csv")["total"]) == report["energy"]["final"], f"{most} attempts"
            fields = [n for n in os.listdir(os.path.join(folder, "out")) if n.endswith(f"{report['steps']:06d}.vtkhdf")]
            assert fields, f"{most} attempts: no fields of step {report['steps']}"
        assert repeated, "no last attempt was repeated"


def the_last_files_follow_a_kill_before_them():
    """The run was killed behind its last checkpoint, and no step is left that is not repeated: fields and rows of tables come now."""
    with tempfile.TemporaryDirectory() as root:
        repeated, step = 0, 0
        for most in range(7, 12):
            folder = os.path.join(root, str(most))
            out = os.path.join(folder, "out")
            prepare(folder, DECKS["repeated"], "fields_every: 100, history_every: 3, probes: [0.3], checkpoint_every: 1, keep: 1000")
            good(shocklet(folder, ["deck.yaml", f"time.max_steps={most}"], 0), f"{most} attempts")
            whole = {name: content(os.path.join(out, name)) for name in os.listdir(out)}
            before, step = step, checkpoints(folder)[-1]
            if step > before:
                continue  # the last attempt was a step, and its files are written before its checkpoint
            repeated += step % 3 != 0
            last = f"sedov_{step:06d}.vtkhdf"
            for kept in False, True:  # once more, nothing is written twice
                if not kept:
                    os.unlink(os.path.join(out, last))
                    listed = whole["sedov.vtkhdf.series"].decode().replace('"time":0},', '"time":0}').splitlines(True)
                    rows = {name: whole[name].decode().splitlines(True) for name in ("history.csv", "probes.csv")}
                    rows = {name: [r for r in lines if step % 3 == 0 or not r.startswith(f"{step},")] for name, lines in rows.items()}
                    for name, lines in {"sedov.vtkhdf.series": [line for line in listed if last not in line], **rows}.items():
                        with open(os.path.join(out, name), "w") as file:
                            file.writelines(lines)
                words = ["--restart", "latest", "deck.yaml", f"time.max_steps={most}"]
                good(shocklet(folder, words, 0), f"the rest of {most} attempts")
                for name in os.listdir(out):
                    assert content(os.path.join(out, name)) == whole[name], f"{most} attempts: {name}"
        assert repeated, "no last attempt was repeated"


def decks_beside_restart():
    """One whose mesh is in a file, one through a pipe; folders as an override may write them; a smaller cfl after a fault."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, "{problem: {name: noh}, mesh: {file: square.mesh, refine: 1}, output: {%s}}")
        with open(os.path.join(folder, "square.mesh"), "w") as file:
            file.write(SQUARE)
        good(shocklet(folder, ["deck.yaml", "time.max_steps=2"], 0), "the first run")
        good(shocklet(folder, ["--restart", "latest", "deck.yaml", "time.max_steps=4"], 0), "a mesh file")
        for word in '"out"', " out ":
            good(shocklet(folder, ["--restart", "latest", f"output.directory={word}", "time.max_steps=5"], 0), word)
        folder = os.path.join(root, "piped")
        prepare(folder, DECKS["repeated"])
        good(shocklet(folder, ["deck.yaml", "time.max_steps=2"], 0), "the run before a pipe")
        command = [os.environ["SHOCKLET"], "--quiet", "--restart", "latest", "/dev/stdin", "time.max_steps=6"]
        piped = subprocess.run(command, cwd=folder, input=content(os.path.join(folder, "deck.yaml")), env=program.alone(),
                               stderr=subprocess.PIPE)
        assert piped.returncode == 0 and checkpoints(folder)[-1] > 3, piped.stderr
        folder = os.path.join(root, "fault")
        prepare(folder, "{problem: {name: triple-point}, mesh: {zones: [7, 3], refine: 1}, time: {cfl: 10, max_cuts: 0}, "
                        "output: {%s}}")
        status, _, err = shocklet(folder, ["deck.yaml", "time.max_steps=5"], 0)
        assert status == 1 and "fault_000000.h5" in err, f"{status}: {err}"
        assert "run.lock" not in os.listdir(os.path.join(folder, "out"))
        on = "--restart " + os.path.join("out", "fault_000000.h5")
        for words in ["deck.yaml", "time.cfl=0.05"], ["--restart", "latest", "output.directory=out"]:
            status, _, err = shocklet(folder, words, 0)
            assert status == 2 and on in err and "--restart latest goes" not in err, f"{status}: {err}"
        words = ["--restart", os.path.join("out", "fault_000000.h5"), "time.cfl=0.05", "time.max_steps=5"]
        good(shocklet(folder, words, 0), "a smaller cfl")


def another_mesh_is_refused():
    """An inner vertex moved, or a wall made free, between checkpoint and restart; blanks don't count.  The report has the checksum."""
    inner = SQUARE.replace("elements\n1\n1 3 0 1 2 3", "elements\n4\n1 3 0 4 8 7\n1 3 4 1 5 8\n1 3 8 5 2 6\n1 3 7 8 6 3").replace(
        "boundary\n4\n1 1 0 1\n2 1 1 2\n1 1 2 3\n2 1 3 0", "boundary\n8\n2 1 0 4\n2 1 4 1\n1 1 1 5\n1 1 5 2\n2 1 2 6\n2 1 6 3\n1 1 3 7\n1 1 7 0").replace(
        "vertices\n4\n2\n0 0\n1 0\n1 1\n0 1\n", "vertices\n9\n2\n0 0\n1 0\n1 1\n0 1\n.5 0\n1 .5\n.5 1\n0 .5\n.5 .5\n")
    changes = {"moved": inner.replace(".5 .5\n", ".45 .55\n"), "free": inner.replace("1 1 1 5", "4 1 1 5")}
    sums = set()
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, "{problem: {name: sedov}, mesh: {file: inner.mesh, refine: 1}, output: {%s}}")
        mesh = os.path.join(folder, "inner.mesh")

        def restart(text, ranks):
            with open(mesh, "w") as file:
                file.write(text)
            return shocklet(folder, ["--restart", "latest", "deck.yaml", "time.max_steps=4"], ranks)

        with open(mesh, "w") as file:
            file.write(inner)
        good(shocklet(folder, ["deck.yaml", "time.max_steps=2", "--report", "r.json"], 0), "the first run")
        with open(os.path.join(folder, "r.json")) as file:
            sums.add(program.json.load(file)["mesh_checksum"])
        for name, text in changes.items():
            for ranks in 0, 2:
                status, _, err = restart(text, ranks)
                assert status == 2 and "is a checkpoint of another mesh than is in " in err and err.count("another mesh") == 1, f"{name}: {status}: {err}"
            good(shocklet(folder, ["deck.yaml", f"output.directory={name}", "time.max_steps=1", "--report", "r.json"], 0), name)
            with open(os.path.join(folder, "r.json")) as file:
                sums.add(program.json.load(file)["mesh_checksum"])
        assert len(sums) == 3, sums
        good(restart(inner.replace("boundary\n", "\n\nboundary\n").replace("1 1\n", "1.0  1e0\n"), 0), "the same mesh")


def large_numbers_are_no_null():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, "{problem: {name: sedov, blast_energy: 1e98}, mesh: {dim: 1, zones: [4], upper: [1e-90]}, "
                        "time: {max_steps: 3, final: 1}, output: {%s}}", "fields_every: 0")
        good(shocklet(folder, ["deck.yaml", "--report", "r.json"], 0), "the run")
        with open(os.path.join(folder, "r.json")) as file:
            norm = program.json.load(file)["norm"]
        assert all(isinstance(number, (int, float)) for number in norm.values()) and norm["e"] > 1e180, norm


def a_lost_balance_ends_the_run():
    """In the step in which it is lost, before a checkpoint of it takes the place of a good one."""
    with tempfile.TemporaryDirectory() as root:
        for problem in "rayleigh-taylor", "saltzman":
            folder = os.path.join(root, problem)
            prepare(folder, "{problem: {name: %s}, mesh: {refine: 0}, time: {cfl: %%s}, output: {%%%%s}}" % problem % (4 if problem == "saltzman" else 10),
                    "checkpoint_every: 1, keep: 1")
            status, _, err = shocklet(folder, ["deck.yaml", "--report", "r.json"], 0)
            assert status == 1 and "the energy balance is lost in step" in err and "gravity" in err, f"{problem}: {status}: {err}"
            with open(os.path.join(folder, "r.json")) as file:
                report = program.json.load(file)
            assert report["status"] == "failed" and abs(report["energy"]["imbalance"]) > 0.1, report["energy"]
            assert checkpoints(folder) == [report["steps"] - 1], f"{problem}: {checkpoints(folder)} after {report['steps']} steps"
            good(shocklet(folder, ["--restart", "latest", "output.directory=out", "time.cfl=0.25", f"time.max_steps={report['attempts'] + 3}"], 0), "a smaller cfl")


def work_goes_on_after_a_restart():
    with tempfile.TemporaryDirectory() as root:
        energy = []
        for parts in [9], [4, 9]:
            folder = os.path.join(root, str(len(parts)))
            prepare(folder, DECKS["saltzman"])
            for most in parts:
                words = ["--restart", "latest"] if most > parts[0] else []
                good(shocklet(folder, words + ["deck.yaml", f"time.max_steps={most}", "--report", "r.json"], 0), f"{most} steps")
            with open(os.path.join(folder, "r.json")) as file:
                energy.append(program.json.load(file)["energy"])
        assert energy[0]["work"] != 0 and energy[0] == energy[1], energy


def a_run_with_unconverged_solves_is_not_done():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, "{problem: {name: noh}, mesh: {dim: 2, zones: [4, 4]}, solvers: {velocity: {max_iterations: 1}}, "
                        "time: {max_steps: 3}, output: {%s}}", "fields_every: 0")
        good(shocklet(folder, ["deck.yaml", "--report", "r.json"], 0), "the run")
        with open(os.path.join(folder, "r.json")) as file:
            report = program.json.load(file)
        assert report["status"] == "unconverged" and report["unconverged"]["velocity"] > 0, report["status"]


def unconverged_solves_are_told_of():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, "{problem: {name: noh}, mesh: {dim: 2}, solvers: {velocity: {max_iterations: 1}}, "
                        "time: {cfl: 9, max_steps: 3}, output: {%s}}", "fields_every: 0")
        status, _, err = shocklet(folder, ["deck.yaml", "--report", "r.json"], 0)
        with open(os.path.join(folder, "r.json")) as file:
            steps = program.json.load(file)["steps"]
        assert steps == 0 and status == 0 and err.count("did not reach solvers.velocity.tolerance") == 1, f"{status}: {err}"


def a_report_may_be_in_the_folder_that_the_run_makes():
    with tempfile.TemporaryDirectory() as root:
        for name, words in ("a", []), ("b", ["output.fields_every=0", "output.history_every=0", "output.checkpoint_every=0"]):
            folder = os.path.join(root, name)
            prepare(folder, DECKS["repeated"])
            good(shocklet(folder, ["deck.yaml", "time.max_steps=2", "--report", "out/r.json", *words], 0), name)
            with open(os.path.join(folder, "out", "r.json")) as file:
                assert program.json.load(file)["status"] == "done"
            status, _, err = shocklet(folder, ["deck.yaml", "--report", "no/r.json"], 0)
            assert status == 3 and "no/r.json: can't write the report" in err and not os.path.exists(os.path.join(folder, "no")), f"{status}: {err}"


def a_report_goes_through_a_pipe():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECKS["repeated"], "fields_every: 0")
        pipe, read = os.path.join(folder, "pipe"), []
        os.mkfifo(pipe)
        reader = threading.Thread(target=lambda: read.append(content(pipe)), daemon=True)
        reader.start()
        good(shocklet(folder, ["deck.yaml", "time.max_steps=2", "--report", "pipe"], 0, limit=30), "the run")
        reader.join(30)
        assert read and program.json.loads(read[0])["status"] == "done"


def small_and_large_boxes_are_alike():
    energy = {}
    for scale in 1, 1e-12, 1e5:
        words = {"problem.name": "sedov", "mesh.dim": 2, "mesh.zones": [9, 9], "time.max_steps": 5,
                 "mesh.lower": [-0.3 * scale] * 2, "mesh.upper": [0.6 * scale] * 2, "time.final": scale,
                 "problem.blast_energy": scale ** 2}
        report = program.run({**words, "output.fields_every": 0})
        energy[scale] = report["norm"]["e"]
    assert max(energy.values()) < 1.001 * min(energy.values()), energy


def a_small_stack_grows_or_is_told_of():
    deck = "{problem: {name: sedov}, mesh: {dim: 3, zones: [1, 1, 1]}, discretization: {kinematic_order: 4}, time: {max_steps: 1}, output: {%s}}"
    with tempfile.TemporaryDirectory() as root:
        for ranks in 0, 2:
            for limit, wanted in ("-Ss", 0), ("-s", 3):
                folder = os.path.join(root, f"{ranks}{limit}")
                prepare(folder, deck)
                inside = ["sh", "-c", f'ulimit {limit} 256 && exec "$@"', "sh"]
                status, _, err = shocklet(folder, ["deck.yaml"], ranks, inside=inside)
                assert status == wanted and ("the stack may have 256 kB (ulimit -s), and 1024 are needed" in err) == (wanted == 3), f"{ranks}, {limit}: {status}: {err}"


def nccl_needs_gpus():
    with tempfile.TemporaryDirectory() as root:
        for ranks in 0, 2:
            folder = os.path.join(root, str(ranks))
            prepare(folder, DECKS["repeated"])
            status, _, err = shocklet(folder, ["deck.yaml", "run.messages=nccl", "kernels.backend=host"], ranks)
            assert status == 2 and err.startswith("shocklet: run.messages=nccl: NCCL is for GPUs"), f"{status}: {err}"


program.main([going_on_after_max_steps_has_the_same_bits, the_last_state_is_left_if_the_last_attempt_is_repeated, the_last_files_follow_a_kill_before_them,
              decks_beside_restart, another_mesh_is_refused, large_numbers_are_no_null, a_lost_balance_ends_the_run, work_goes_on_after_a_restart,
              a_run_with_unconverged_solves_is_not_done, unconverged_solves_are_told_of,
              a_report_may_be_in_the_folder_that_the_run_makes, a_report_goes_through_a_pipe,
              small_and_large_boxes_are_alike, a_small_stack_grows_or_is_told_of, nccl_needs_gpus])
