# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""The docs name what there is: each row of `batched` is on the page of its family, each of its calls on one of the pages, each row that a
deck can name in docs/kernels.md, each key of a deck in docs/decks.md; and a link into a page ends at a heading."""
import os
import re

import sources

TABLE = re.compile(r"const batched_variant \w+\[\] = (.*?)\};\n", re.S)
ROW = re.compile(r'"((?:host|cuda|vendor)\.\w+)"')
CALL = re.compile(r"^int (batched_\w+)\(batched_ctx \*ctx", re.M)
KEY = re.compile(r'^  \{"([a-z_.]+)",', re.M)
LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")
PAGES = {"tlr": ("lowrank",), "two_stage": ("condensed", "eigen")}  # families without a page of their own
INNER = {"cross", "lrbasis", "lrcore", "lrtriangle", "truncate"}  # operations of lowrank that no user calls


def rows_of(text):
    """The names of the rows in all tables of a file."""
    return [name for body in TABLE.findall(text) for name in ROW.findall(body)]


def named(row, page):
    """`cuda.lanes`, or `lanes` alone."""
    return re.search(rf"`(?:{re.escape(row.split('.')[0])}\.)?{re.escape(row.split('.')[1])}`", page)


def missing_rows(where, rows, page):
    for row in rows:
        if not row.endswith(".ref") and not named(row, page):
            yield f"{where}: no word of row {row}"


def missing_calls(header, pages):
    for call in CALL.findall(header):
        if not call.endswith("_variable") and not re.search(rf"\b{call}\b", pages):
            yield f"docs/batched: no word of {call}"


def missing_keys(schema, page):
    for key in KEY.findall(schema):
        if not re.search(rf"\b{key.rsplit('.', 1)[1]}\b", page):
            yield f"docs/decks.md: no word of {key}"


def headings(page):
    """The anchors that a page has, made as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page, flags=re.S | re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-") for line in re.findall(r"^#+ (.*)$", text, re.M)}


def dead_anchors(path, pages):
    for name, anchor in LINK.findall(pages[path]):
        target = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
        if target in pages and anchor not in headings(pages[target]):
            yield f"{path}: {name}#{anchor} is no heading"


def complaints():
    pages = {path: sources.text(path) for path in sources.files(".md")}
    for path in pages:
        yield from dead_anchors(path, pages)
    for path in sources.files(".c", ".cu", under="batched"):
        parts = path.split("/")
        if len(parts) != 4 or parts[1] not in FAMILIES or parts[3].split(".")[0] in INNER:
            continue
        names = PAGES.get(parts[1], (parts[1],))
        page = "".join(pages[f"docs/batched/{name}.md"] for name in names)
        yield from missing_rows(f"docs/batched/{names[0]}.md", rows_of(sources.text(path)), page)
    for path in sources.files(".c", ".cu", under="fem") + sources.files(".c", ".cu", under="solvers"):
        if not path.endswith("model.c"):
            yield from missing_rows("docs/kernels.md", rows_of(sources.text(path)), pages["docs/kernels.md"])
    batched = "".join(text for path, text in pages.items() if path.startswith("docs/batched/"))
    operations = sources.text("batched/batched.h").split("-- operations\n")[1]
    for header in (operations, sources.text("batched/batched_lowrank.h"), sources.text("batched/batched_two_stage.h")):
        yield from missing_calls(header, batched)
    yield from missing_keys(sources.text("app/deck/deck_schema.c"), pages["docs/decks.md"])


FAMILIES = {path.split("/")[1] for path in sources.files(".cu", under="batched") if path.count("/") == 3} - {"tuning"}
table = 'const batched_variant batched_a_host[] = {\n  {"host.simd", NULL, NULL, simd},\n  {"host.ref", NULL, NULL, ref},\n  {0},\n};\n'
assert rows_of(table) == ["host.simd", "host.ref"]
assert list(missing_rows("x", rows_of(table), "`cuda.simd`")) and not list(missing_rows("x", rows_of(table), "| `simd` |"))
assert list(missing_calls("int batched_mine(batched_ctx *ctx, int a);\n", "batched_mine2"))
assert list(missing_keys('  {"mesh.mine", DECK_INT, \n', "mines")) and not list(missing_keys('  {"mesh.mine", DECK_INT, \n', "`mine`"))
assert list(dead_anchors("a.md", {"a.md": "[x](#y)\n## Z\n"})) and not list(dead_anchors("a.md", {"a.md": "[x](#the-z)\n## The `Z`\n"}))
sources.finish(list(complaints()), f"{len(FAMILIES)} families")
