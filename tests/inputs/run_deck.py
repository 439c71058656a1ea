# SPDX-License-Identifier: BSD-3-Clause
"""run_deck.py DECK RANKS: the deck checks, and its first two steps run and report what was asked for.

The run is made small by keys alone, so the deck itself is what is tested.
"""
import json
import os
import subprocess
import sys
import tempfile


def shorter(deck):
    """Keys that make any deck small: two attempts, at most one refinement, few zones a rank."""
    text = open(deck).read()
    keys = ["time.max_steps=1", "output.fields_every=0", "output.checkpoint_every=0", "mesh.refine=0"]
    if "zones_per_rank:" in text:
        keys[-1] = "mesh.zones_per_rank=8"
    return keys


def main():
    deck, ranks = sys.argv[1], sys.argv[2]
    shocklet = os.environ["SHOCKLET"]
    subprocess.run([shocklet, "--check", deck], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "report.json")
        command = [os.environ["SHOCKLET_MPIEXEC"], "-n", ranks, shocklet, "--report", file, deck]
        status = subprocess.run(command + shorter(deck) + ["output.directory=" + folder]).returncode
        assert status == 0, f"exit status {status}"
        report = json.load(open(file))
    assert report["status"] == "done", report["status"]
    assert report["ranks"] == int(ranks), report["ranks"]
    assert report["attempts"] == 2, report["attempts"]
    initial, final = report["energy"]["initial"], report["energy"]["final"]
    assert 0 < final < 2 * initial or final == initial, (initial, final)


main()
