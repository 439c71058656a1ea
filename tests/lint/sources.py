# SPDX-License-Identifier: BSD-3-Clause
"""Which files the lint tests look at, and how they tell."""
import os
import shutil
import subprocess
import sys

ROOT = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("SHOCKLET_BUILD", "")
LAYERS = ("batched", "mesh", "fem", "solvers", "app")
SKIPPED = {".git", "build", "results", "__pycache__"}


def files(*endings, under=""):
    """Paths relative to the root, sorted: those that git knows or would take; all but builds where there is no git."""
    if shutil.which("git") and os.path.exists(os.path.join(ROOT, ".git")):
        command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard", "--", under or "."]
        git = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
        names = [n for n in git.stdout.splitlines() if os.path.isfile(os.path.join(ROOT, n))]
        return sorted(n for n in names if n.endswith(endings or ("",)))
    found = []
    for folder, folders, names in os.walk(os.path.join(ROOT, under)):
        folders[:] = [f for f in folders if f not in SKIPPED and not os.path.exists(os.path.join(folder, f, "CMakeCache.txt"))]
        found += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names if n.endswith(endings or ("",))]
    return sorted(found)


def text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def finish(complaints, what):
    """Prints the complaints, or what was looked at; exits."""
    for line in complaints:
        print(line)
    print(f"{len(complaints)} complaints, {what}")
    sys.exit(1 if complaints else 0)
