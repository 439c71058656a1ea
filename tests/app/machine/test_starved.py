# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""A run whose cores others use says so, once, and in its report; and a problem's name is a deck."""
import json
import os
import subprocess
import sys
import tempfile

import program


def run(folder, *words):
    command = [os.environ["SHOCKLET"], "--report", "r.json", "sedov", "mesh.dim=2", *words]
    done = subprocess.run(command, cwd=folder, env=program.alone(), capture_output=True, text=True)
    assert done.returncode == 0, done
    with open(os.path.join(folder, "r.json")) as file:
        return done, json.load(file)


def main():
    if not os.path.exists("/proc/thread-self/schedstat"):
        print("skipped: this system does not tell how long a thread waits for a core")
        sys.exit(77)
    core = str(min(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder:
        done, report = run(folder, "time.max_steps=3")
        assert report["deck"]["problem"]["name"] == "sedov" and report["seconds"]["starved"] >= 0, report["seconds"]
        assert "kept from its core" not in done.stderr, done.stderr  # not within three seconds
        os.sched_setaffinity(0, {int(core)})
        hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
        try:
            done, report = run(folder, "mesh.refine=4", "time.wall_limit=10")
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()
    assert done.stderr.count("shocklet: warning: until now a rank was kept from its core") == 1, done.stderr
    assert report["seconds"]["starved"] > 0.25 * report["seconds"]["loop"], report["seconds"]
    assert "a rank kept from its core by others" in done.stdout


main()
