# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""Includes go along the arrows, from the root, between layers and between the families of `batched`; MPI and CUDA stay where
they belong; no folder holds more than 30 sources.

    batched <- mesh/comm <- mesh, solvers <- fem <- app
    vectors | products <- triangular <- cholesky, lu, qr <- condensed, two_stage, tridiagonal <- eigen <- lowrank <- tlr | band
"""
import collections
import os
import re

import sources

BELOW = {
    "batched": set(),
    "comm": {"batched"},
    "mesh": {"batched", "comm"},
    "solvers": {"batched", "comm"},
    "fem": {"batched", "comm", "mesh", "solvers"},
    "app": {"batched", "comm", "mesh", "solvers", "fem"},
}
DENSE = {"vectors", "products", "triangular"}
FAMILIES = {  # each, and what it may include; all may include what they share
    "vectors": set(),
    "products": {"vectors"},
    "triangular": {"vectors", "products"},
    "cholesky": DENSE,
    "lu": DENSE,
    "qr": DENSE,
    "band": DENSE,
    "condensed": DENSE | {"qr"},
    "two_stage": DENSE | {"qr"},
    "tridiagonal": DENSE,
    "eigen": DENSE | {"cholesky", "qr", "condensed", "two_stage", "tridiagonal"},
    "lowrank": DENSE | {"cholesky", "qr", "condensed", "tridiagonal", "eigen"},
    "tlr": DENSE | {"cholesky", "qr", "eigen", "lowrank"},
}
LISTS = {"batched/operations.h", "batched/tuning/tune/calls.c"}  # of all families
MOST_FILES = 30
MPI = {"mesh/comm/comm.c", "mesh/comm/halo_messages.c", "mesh/comm/mail.c"}
CUDA = re.compile(r"^(cuda|cublas|cusolver|cusparse|cub/|nvtx|thrust)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
TO_BODY = re.compile(r'^[ \t]*#[ \t]*define[ \t]+BODY[ \t]+(")([^"]+)"', re.M)


def layer_of(path):
    return "comm" if path.startswith("mesh/comm/") else path.split("/")[0]


def family_of(path):
    """Of a file of `batched`; None for what families share."""
    folder = path.split("/")[1] if path.startswith("batched/") else ""
    return folder if folder in FAMILIES else None


def include_complaints(path, name):
    if not os.path.isfile(os.path.join(sources.ROOT, name)):
        yield f'{path}: includes "{name}", which is no path from the root'
        return
    layer, to = layer_of(path), layer_of(name)
    if to != layer and to not in BELOW[layer]:
        yield f'{path}: includes "{name}"; {layer} may include {sorted(BELOW[layer])}'
    family, to = family_of(path), family_of(name)
    if layer == "batched" and to and to != family:
        if family is None and path not in LISTS:
            yield f'{path}: includes "{name}"; what all families share includes none of them'
        elif family and to not in FAMILIES[family]:
            yield f'{path}: includes "{name}"; {family} may include {sorted(FAMILIES[family])}'


def complaints_of(path, content):
    backend = "/cuda/" in path
    for quote, name in INCLUDE.findall(content) + TO_BODY.findall(content):
        if quote == '"':
            yield from include_complaints(path, name)
        if name == "mpi.h" and path not in MPI:
            yield f"{path}: includes mpi.h; only {sorted(MPI)} may"
        if CUDA.match(name) and not backend:
            yield f"{path}: includes {name}; only cuda/ folders may"
    if path.endswith(".c") and re.search(r"^[ \t]*#[ \t]*(el)?if.*CUDA", content, re.M):
        yield f"{path}: an #if for a backend; a backend that is not built is a file of empty tables"


def crowded(paths):
    for folder, count in collections.Counter(os.path.dirname(p) for p in paths).items():
        if count > MOST_FILES:
            yield f"{folder}: {count} sources; a folder has {MOST_FILES} at most"


def self_test():
    """The check can fail: each of these has exactly one complaint."""
    for path, content in (
        ("batched/x.c", '#include "mesh/mesh.h"\n'),
        ("solvers/x.c", '#include "fem/point/point.h"\n'),
        ("solvers/x.c", '#include "mesh/mesh.h"\n'),
        ("mesh/comm/x.c", '#include "mesh/mesh.h"\n'),
        ("batched/products/cuda/x.cu", '#include "batched/lu/cuda/factors.cuh"\n'),
        ("batched/lu/host/x.c", '#define BODY "batched/qr/host/geqrf_ref.h"\n'),
        ("batched/host/x.c", '#include "batched/lu/host/factors.h"\n'),
        ("mesh/x.c", "#include <mpi.h>\n"),
        ("app/x.c", "#include <cuda_runtime.h>\n"),
        ("fem/x.c", "#ifdef SHOCKLET_CUDA\n"),
        ("app/x.c", '#include "nowhere.h"\n'),
        ("app/x.c", '#include "hydro.h"\n'),
    ):
        assert len(list(complaints_of(path, content))) == 1, (path, content)
    assert list(crowded(f"app/x{i}.c" for i in range(31))) and not list(crowded(f"app/x{i}.c" for i in range(30)))


self_test()
ENDINGS = (".c", ".h", ".cu", ".cuh", ".def")
paths = [p for layer in sources.LAYERS for p in sources.files(*ENDINGS, under=layer)]
found = [c for p in paths for c in complaints_of(p, sources.text(p))]
sources.finish(found + list(crowded(paths + sources.files(*ENDINGS, under="tests"))), f"{len(paths)} files")
