# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""The name of a row leads to its file, and is made of words that have one meaning each.

Row cuda.X of operation O in a family of `batched` is in <family>/cuda/O_X.cuh, or X.cuh where the family, or a family above, shares it; words at the
end of X may be left out, and O.cuh may hold all rows of O.  That file says `cuda.X` in a comment, and a file X.cuh of the family names O, too, as its row
of that name may be another operation's.  Rows that are host code (blocked,
recursive, composed, two_stage, svd, rsvd, ara, aca, inner, outer), and the only row of an operation, may be in O.cu.  The words are those of the table in
docs/batched/using.md.  An alias leads from a name that no row has to a row.
"""
import re

import sources

# Operations that run the kernels of another one.
KERNELS_OF = {"syrk": ("gemm",), "symm": ("gemm",), "syr2k": ("gemm",), "pttrs": ("pttrf",), "ptsv": ("pttrf",), "gttrs": ("gttrf",)}
# Host code, which launches several kernels or calls other operations.
HOST_CODE = {"blocked", "recursive", "composed", "two", "svd", "rsvd", "ara", "aca", "inner", "outer"}
# Families whose kernels others use, too.
DENSE = ("vectors", "products", "triangular")

TABLE = re.compile(r"const batched_variant batched_(\w+?)_(host|cuda)\[\] = (.*?)\};\n", re.S)
ROW = re.compile(r'"(host|cuda|vendor)\.(\w+)"')
ALIAS = re.compile(r'\{"([\w.]+)", "([\w.]+)"\}')
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def words_of(page):
    """The closed list: the first column of the table that begins with `thread`."""
    lines = page.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("| `thread`"))
    words = set()
    for line in lines[start:]:
        if not line.startswith("|"):
            return words
        words |= set(re.findall(r"`(\w+)`", line.split("|")[1]))
    return words


def rows_of(text):
    """(operation, space, [(backend, name)]) for each table of a file."""
    return [(op, space, ROW.findall(body)) for op, space, body in TABLE.findall(text)]


def candidates(operation, name, alone):
    """Names of files that may hold a row, without folder."""
    parts = name.split("_")
    shorter = ["_".join(parts[:n]) for n in range(len(parts), 0, -1)]
    for op in (operation,) + KERNELS_OF.get(operation, ()):
        for x in shorter:
            yield f"{op}_{x}.cuh"
        yield f"{op}.cuh"
    for x in shorter:
        yield f"{x}.cuh"
    if alone or parts[0] in HOST_CODE:
        yield f"{operation}.cu"


def says(text, name):
    return any(re.search(rf"\bcuda\.{name}\b", comment) for comment in COMMENT.findall(text))


def is_of(file, text, operation):
    """Does a file of the family have rows of this operation: by its name, or by a comment?"""
    named = re.match(rf"({'|'.join((operation,) + KERNELS_OF.get(operation, ()))})[_.]", file)
    return named or any(re.search(rf"\b{operation}\b", comment) for comment in COMMENT.findall(text))


def complaints_of(family, tables, files, words, shared=()):
    """tables: as rows_of; files: name -> text, of the family's cuda folder; shared: those of families above."""
    for operation, space, rows in tables:
        own = [name for backend, name in rows if backend == "cuda"]
        for backend, name in rows:
            unknown = [] if backend == "vendor" else [w for w in name.split("_") if w not in words]
            if unknown:
                yield f"{family}: row {backend}.{name} of {operation}: {unknown} is not in docs/batched/using.md"
            if backend != "cuda":
                continue
            found = [c for c in candidates(operation, name, len(own) == 1) if c in files]
            if not any(says(files[c], name) and (c in shared or is_of(c, files[c], operation)) for c in found):
                where = f"none of {found} says so" if found else f"no {operation}_{name}.cuh or {name}.cuh"
                yield f"{family}: row cuda.{name} of {operation} can't be found by its name: {where}"


def alias_complaints(path, text, rows):
    for old, new in ALIAS.findall(text):
        if old in rows or new not in rows:
            yield f"{path}: alias {old} -> {new}: " + ("the old name is a row" if old in rows else "there is no such row")


def self_test(words):
    """The check can fail: each of these has as many complaints as it says."""
    says_lanes = {"potrf_lanes.cuh": "/* Row cuda.lanes */", "lanes.cuh": "int x;"}
    for count, rows, files in (
        (0, [("cuda", "lanes")], says_lanes),
        (0, [("cuda", "lanes"), ("cuda", "blocked")], says_lanes | {"potrf.cu": "/* Row cuda.blocked */"}),
        (0, [("cuda", "warp_tc")], {"warp.cuh": "// cuda.warp_tc of potrf"}),
        (1, [("cuda", "warp_tc")], {"warp.cuh": "// cuda.warp_tc of getrf"}),
        (1, [("cuda", "lanes")], {"lanes.cuh": 'x = "cuda.lanes";'}),
        (1, [("cuda", "lanes"), ("cuda", "warp")], says_lanes | {"potrf.cu": "/* Row cuda.warp */"}),
        (1, [("cuda", "lanes")], {"rows.cuh": "/* Row cuda.lanes */"}),
        (1, [("cuda", "strips")], {"strips.cuh": "/* Row cuda.strips of potrf */"}),
        (1, [("host", "fast")], {}),
    ):
        found = list(complaints_of("cholesky", [("potrf", "cuda", rows)], files, words))
        assert len(found) == count, (rows, files, found)
    table = 'const batched_variant batched_potrf_cuda[] = {\n  row<a, nullptr, b>("cuda.lanes"),\n  BATCHED_LAST_ROW,\n};\n'
    assert rows_of(table) == [("potrf", "cuda", [("cuda", "lanes")])], rows_of(table)
    assert list(alias_complaints("x.c", '{"cuda.a", "cuda.b"}', {"cuda.a", "cuda.b"}))
    assert list(alias_complaints("x.c", '{"cuda.a", "cuda.b"}', set()))
    assert not list(alias_complaints("x.c", '{"cuda.a", "cuda.b"}', {"cuda.b"}))


words = words_of(sources.text("docs/batched/using.md"))
self_test(words)
texts = {p: sources.text(p) for p in sources.files(".c", ".cu", ".cuh", under="batched")}
families = sorted({p.split("/")[1] for p in texts if p.count("/") >= 3 and "/cuda/" in p} - {"tuning"})
found, count = [], 0
for family in families:
    inside = {p: t for p, t in texts.items() if p.startswith(f"batched/{family}/")}
    tables = [row for t in inside.values() for row in rows_of(t)]
    count += sum(len(rows) for _, _, rows in tables)
    cuda = {p.rsplit("/", 1)[1]: t for below in DENSE + (family,) for p, t in texts.items() if p.startswith(f"batched/{below}/cuda/")}
    own = {p.rsplit("/", 1)[1] for p in inside}
    found += complaints_of(family, tables, cuda, words, cuda.keys() - own)
    for path, content in inside.items():
        operation = path.rsplit("/", 1)[1].split(".")[0]
        rows = {f"{b}.{n}" for op, _, rs in tables if op == operation for b, n in rs}
        if path.count("/") == 2:
            found += alias_complaints(path, content, rows)
sources.finish(found, f"{count} rows of {len(families)} families")
