# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""Every source names its licence; no file names a machine; comments in C have 120 columns, to which clang-format does
not bring them; every deck starts with what, why, what to look for; every problem has one; prose names files that exist."""
import os
import re

import sources

MACHINE = re.compile(r"(?<![\w.$}])/(home|work|root|Users|mnt)/\w|\b(localhost|127\.0\.0\.1):\d")
CODE = (".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", "scripts/run", "scripts/test", ".ci/run")
TEXT = CODE + (".md", ".yaml", ".txt", ".cmake", ".json", ".in")


def licence(path, content):
    if "SPDX-License-Identifier: BSD-3-Clause" not in "\n".join(content.split("\n")[:2]):
        yield f"{path}: no line 'SPDX-License-Identifier: BSD-3-Clause' at its top"


def machine(path, content):
    for number, line in enumerate(content.split("\n"), 1):
        if MACHINE.search(line):
            yield f"{path}:{number}: names a machine's path: {line.strip()}"


def wide_comment(path, content):
    for number, line in enumerate(content.split("\n"), 1):
        if len(line) > 120 and re.match(r"\s*(/?\*|//)", line):
            yield f"{path}:{number}: {len(line)} columns; a comment has 120"


def deck_head(path, content):
    lines = content.split("\n") + [""] * 4
    if not all(line.startswith("# ") for line in lines[:3]) or lines[3].startswith("#"):
        yield f"{path}: a deck starts with exactly three comment lines: what, why, what to look for"


def dead_path(path, content):
    """`folder/file.ext` in the prose, and links, lead somewhere."""
    for name in re.findall(r"`([\w.-]+/[\w./-]+\.\w+)`", content) + re.findall(r"\]\(([\w./-]+)\)", content):
        candidates = (name, os.path.join(os.path.dirname(path), name))
        if "mine" not in name and not any(os.path.exists(os.path.join(sources.ROOT, n)) for n in candidates):
            yield f"{path}: names {name}, which is not there"


def problems_without_deck():
    decks = "".join(sources.text(path) for path in sources.files(".yaml", under="inputs"))
    families = [path for path in sources.files(".c", under="app") if path.startswith("app/problems/problems_")]
    names = [(path, name) for path in families for name in re.findall(r'\.name = "([\w-]+)"', sources.text(path))]
    assert names
    for path, name in names:
        if not re.search(rf"^problem: .*name: {name}\b(?!-)", decks, re.M):
            yield f"{path}: no deck in inputs/ runs {name}"


def complaints():
    names = sources.files()
    yield from problems_without_deck()
    for path in names:
        if path.endswith(CODE):
            yield from licence(path, sources.text(path))
        if path.endswith((".c", ".h", ".cu", ".cuh")):
            yield from wide_comment(path, sources.text(path))
        if path.endswith(TEXT) and path != "tests/lint/test_texts.py":
            yield from machine(path, sources.text(path))
        if path.endswith(".md"):
            yield from dead_path(path, sources.text(path))
        if path.startswith("inputs/") and path.endswith(".yaml"):
            yield from deck_head(path, sources.text(path))


assert list(licence("x.c", "int x;\n")) and list(machine("x.c", 'open("/home/me/x")\n')) and list(deck_head("x", "# one\n"))
assert list(wide_comment("x.c", " * " + 118 * "x")) and not list(wide_comment("x.c", " * " + 117 * "x"))
assert list(dead_path("x.md", "see `app/nowhere.c`"))
assert not list(deck_head("x", "# what\n# why\n# look\nproblem: {name: sedov}\n"))
sources.finish(list(complaints()), f"{len(sources.files())} files")
