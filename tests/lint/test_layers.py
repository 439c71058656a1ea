# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""Includes go along the arrows: batched <- mesh <- solvers <- fem <- app; MPI and CUDA stay where they belong."""
import os
import re

import sources

MAY_INCLUDE = {
    "batched": {"batched"},
    "mesh": {"batched", "mesh"},
    "fem": {"batched", "mesh", "solvers", "fem"},
    "solvers": {"batched", "mesh", "solvers"},
    "app": {"batched", "mesh", "fem", "solvers", "app"},
}
MPI = {"mesh/comm.c", "mesh/halo.c", "app/main.c"}
CUDA = re.compile(r"^(cuda|cublas|cusolver|cusparse|cub/|nvtx|thrust)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def owner(path, name):
    """The layer that an include in quotes leads to: beside the file, or from the root; None if it leads nowhere."""
    for base in (os.path.dirname(path), "", "batched"):
        target = os.path.normpath(os.path.join(base, name))
        if os.path.isfile(os.path.join(sources.ROOT, target)):
            return target.split("/")[0]
    return None


def complaints_of(path, content):
    layer = path.split("/")[0]
    backend = "/cuda/" in path
    for quote, name in INCLUDE.findall(content):
        if quote == '"':
            to = owner(path, name)
            if to not in MAY_INCLUDE[layer]:
                yield f'{path}: includes "{name}" ({to or "no such file"}); {layer} may include {sorted(MAY_INCLUDE[layer])}'
        if name == "mpi.h" and path not in MPI:
            yield f"{path}: includes mpi.h; only {sorted(MPI)} may"
        if CUDA.match(name) and not backend:
            yield f"{path}: includes {name}; only cuda/ folders may"
    if path.endswith(".c") and re.search(r"^[ \t]*#[ \t]*(el)?if.*CUDA", content, re.M):
        yield f"{path}: an #if for a backend; a backend that is not built is a file of empty tables"


def self_test():
    """The check can fail: each of these has exactly one complaint."""
    for path, content in (
        ("batched/x.c", '#include "mesh/mesh.h"\n'),
        ("solvers/x.c", '#include "fem/point.h"\n'),
        ("mesh/x.c", "#include <mpi.h>\n"),
        ("app/x.c", "#include <cuda_runtime.h>\n"),
        ("fem/x.c", "#ifdef SHOCKLET_CUDA\n"),
        ("app/x.c", '#include "nowhere.h"\n'),
    ):
        assert len(list(complaints_of(path, content))) == 1, (path, content)


self_test()
paths = [p for layer in sources.LAYERS for p in sources.files(".c", ".h", ".cu", ".cuh", ".def", under=layer)]
sources.finish([c for p in paths for c in complaints_of(p, sources.text(p))], f"{len(paths)} files")
