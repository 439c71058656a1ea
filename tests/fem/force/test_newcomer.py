# SPDX-License-Identifier: BSD-3-Clause
# label: slow
# processors: 2
"""The README's recipe for a kernel of one's own works: a file and a row, and test and deck take it.  The one of docs/kernels.md for
a GPU compiles, where there is a compiler.

Done in a copy of the tree, with a build of its own; no build file and no test is touched.
"""
import json
import os
import shutil
import subprocess
import tempfile

SOURCE = os.environ["SHOCKLET_SOURCE"]
PARTS = ("CMakeLists.txt", "batched", "examples", "mesh", "solvers", "fem", "app", "tests", "inputs")
ROW = '  {.name = "host.ref", .functions = &fem_host_force_ref},\n'
DECLARATION = "extern const fem_force_functions fem_host_force_ref;"
GPU_ROW = '  {"cuda.base", nullptr, nullptr, nullptr, &fem_cuda::force_base},\n'
GPU_DECLARATION = "extern const fem_force_functions force_base;"


def copy_tree(to):
    for part in PARTS:
        if os.path.isdir(os.path.join(SOURCE, part)):
            shutil.copytree(os.path.join(SOURCE, part), os.path.join(to, part))
        else:
            shutil.copy(os.path.join(SOURCE, part), to)


def edit(path, old, new):
    with open(path) as file:
        text = file.read()
    assert old in text, f"{path}: no '{old.strip()}' any more"
    with open(path, "w") as file:
        file.write(text.replace(old, new))


def add_row(tree):
    host = os.path.join(tree, "fem", "force", "host")
    shutil.copy(os.path.join(host, "force_ref.c"), os.path.join(host, "force_mine.c"))
    edit(os.path.join(host, "force_mine.c"), "fem_host_force_ref", "fem_host_force_mine")
    edit(os.path.join(host, "force.h"), DECLARATION, DECLARATION.replace("ref", "mine") + "\n" + DECLARATION)
    edit(os.path.join(host, "force.c"), ROW, ROW + ROW.replace("ref", "mine"))


def add_gpu_row(tree):
    """The files that a row for a GPU touches."""
    cuda = os.path.join(tree, "fem", "force", "cuda")
    mine, header, table = (os.path.join(cuda, name) for name in ("force_mine.cu", "force.cuh", "force.cu"))
    shutil.copy(os.path.join(cuda, "force_base.cu"), mine)
    edit(mine, "force_base", "force_mine")
    edit(header, GPU_DECLARATION, GPU_DECLARATION.replace("base", "mine") + "\n" + GPU_DECLARATION)
    edit(table, GPU_ROW, GPU_ROW + GPU_ROW.replace("base", "mine"))
    return mine, table


def run(*command):
    print("+", *command, flush=True)
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def deck(tree, build, variant):
    """The report of a short Sedov run."""
    report = os.path.join(build, variant + ".json")
    run(os.path.join(build, "bin", "shocklet"), os.path.join(tree, "inputs", "sedov-2d.yaml"), "--report", report, "--quiet",
        "mesh.refine=1", "time.max_steps=9", f"output.directory={build}", f"kernels.corner_force={variant}")
    with open(report) as file:
        return json.load(file)


with tempfile.TemporaryDirectory() as folder:
    tree, build = os.path.join(folder, "tree"), os.path.join(folder, "build")
    os.mkdir(tree)
    copy_tree(tree)
    add_row(tree)
    run("cmake", "-S", tree, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DSHOCKLET_CUDA=OFF")
    run("cmake", "--build", build, "--parallel", "2", "--target", "shocklet", "fem_test_force")
    assert "host.mine" in run(os.path.join(build, "bin", "shocklet"), "--variants")
    run("ctest", "--test-dir", build, "-R", "^fem/test_force", "--no-tests=error")
    mine, reference = deck(tree, build, "host.mine"), deck(tree, build, "host.ref")
    assert "host.mine" in json.dumps(mine["variants"]), mine["variants"]
    assert mine["norm"] == reference["norm"] and mine["steps"] == reference["steps"]
    print("host.mine:", mine["norm"]["e"])
    nvcc = shutil.which("nvcc", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
    for file in add_gpu_row(tree) if nvcc else ():
        run(nvcc, "-std=c++17", "-arch=sm_90", "-I", tree, "-c", file, "-o", os.path.join(build, "mine.o"))
