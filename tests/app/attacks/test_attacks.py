# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
# timeout: 1500
"""Attacks at random: two runs in one folder, kills in the middle of calls, what is planted under names to come, checkpoints that were
changed and sealed again, meshes with faults, odd decks.  A few of each here; by the hundred, or one of them again, by hand:

    ctest --test-dir build/ci -N -V -R app/test_attacks                    # its environment
    python3 tests/app/attacks/test_attacks.py pairs|kills|names|seals|meshes|decks [COUNT [FIRST]]

Attack number FIRST, FIRST + 1, ... of a kind draws the same dice each time.
"""
import collections
import random
import subprocess
import sys
import tempfile

import program
import attack_deck
import attack_folder
import attack_mesh
import attack_seal
from restarts import THOROUGH

KINDS = {"pairs": attack_folder.pair, "kills": attack_folder.kill, "names": attack_folder.plant, "seals": attack_seal.seal,
         "meshes": attack_mesh.mesh, "decks": attack_deck.deck}
IN_CI = {"pairs": 2, "kills": 2, "names": 3, "seals": 3, "meshes": 6, "decks": 4}


def attack(kind, count, first=0):
    outcomes, failed = collections.Counter(), 0
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcomes[KINDS[kind](random.Random(f"{kind} {number}"), folder)] += 1
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"FAILED {kind} {number}: {error}", flush=True)
    print(f"{count} {kind}: {failed} failed; " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common()), flush=True)
    assert not failed, f"{failed} of {count} {kind}"


def test_of(kind):
    def test():
        attack(kind, IN_CI[kind] if THOROUGH else 1)
    test.__name__ = kind
    return test


if len(sys.argv) > 1:
    attack(sys.argv[1], *map(int, sys.argv[2:] or ["100"]))
else:
    program.main([test_of(kind) for kind in KINDS])
