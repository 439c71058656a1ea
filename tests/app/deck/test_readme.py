# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""The table of variants in the README is what `shocklet --variants` prints."""
import os
import subprocess

with open(os.path.join(os.environ["SHOCKLET_SOURCE"], "README.md")) as file:
    text = file.read()
table = text[text.index("operation        kernels.<key>"):]
wanted = [line for line in table[:table.index("```")].splitlines() if line != "..."]
printed = subprocess.run([os.environ["SHOCKLET"], "--variants"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
assert len(wanted) > 5
places = [printed.index(line) for line in wanted]
assert places == sorted(places), places
