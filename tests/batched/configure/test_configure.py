# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""`cmake -S batched` says which BLAS it takes, and which is slow; how to leave CUDA out; compiles for another machine, and in
a folder with any name."""
import os
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.environ["SHOCKLET_SOURCE"], "batched")
CC = shutil.which("cc")


def library(prefix, name, *functions):
    code = "".join(f"void {function}(void) {{}}\n" for function in functions)
    subprocess.run([CC, "-shared", "-fPIC", "-x", "c", "-", "-o", os.path.join(prefix, "lib", f"lib{name}.so")], input=code, text=True, check=True)


def configure(folder, *options, **environment):
    """All that cmake says, on one line; the compile commands are in folder/build."""
    command = ["cmake", "-S", SOURCE, "-B", os.path.join(folder, "build"), "-G", "Ninja", *options]
    done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return " ".join(done.stdout.split())


def blas(root, *libraries):
    """What is said where there are only these libraries, {name: functions}, and the headers."""
    with tempfile.TemporaryDirectory(dir=root) as folder:
        prefix = os.path.join(folder, "usr")
        for part in "lib", "include":
            os.makedirs(os.path.join(prefix, part))
        for name in "cblas.h", "lapacke.h":
            open(os.path.join(prefix, "include", name), "w").close()
        for name, functions in libraries:
            library(prefix, name, *functions)
        only = [f"-DCMAKE_FIND_ROOT_PATH={prefix}", f"-DCMAKE_PREFIX_PATH={prefix}"]
        only += [f"-DCMAKE_FIND_ROOT_PATH_MODE_{kind}=ONLY" for kind in ("LIBRARY", "INCLUDE")]
        return configure(folder, "-DSHOCKLET_CUDA=OFF", *only)


def says_which_blas(root):
    lapacke, slow = ("lapacke", ["LAPACKE_dpotrf_work"]), "seems to be netlib's reference, which is slow; better install OpenBLAS"
    said = blas(root, lapacke, ("blas", ["cblas_dgemm"]))
    assert slow in said and "libopenblas-dev" in said, said
    said = blas(root, lapacke, ("blas", ["cblas_dgemm", "openblas_get_config"]))  # as Debian's alternatives have it
    assert "BLAS: OpenBLAS" in said and slow not in said, said
    said = blas(root, lapacke, ("blas", ["cblas_dgemm"]), ("openblas", ["cblas_dgemm", "openblas_get_config"]))
    assert "BLAS: OpenBLAS" in said and "libopenblas.so" in said and slow not in said, said
    said = blas(root)
    assert "BLAS: none" in said and "libopenblas-dev" in said, said


def says_how_to_leave_cuda_out(root):
    nvcc = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
    with tempfile.TemporaryDirectory(dir=root) as folder:
        said = configure(folder)
        assert ("take minutes to build; -DSHOCKLET_CUDA=OFF leaves them out" if nvcc else "no compiler was found, so no kernels for GPUs") in said, said
    with tempfile.TemporaryDirectory(dir=root) as folder:
        assert "CUDA: left out" in configure(folder, "-DSHOCKLET_CUDA=OFF")


def compiles_for_another_machine(root):
    """A compiler that knows no -march=native; for another machine nobody asks for it, for this one it is left out with a word."""
    with tempfile.TemporaryDirectory(dir=root) as folder:
        compiler, toolchain = os.path.join(folder, "cross-cc"), os.path.join(folder, "cross.cmake")
        with open(compiler, "w") as file:
            file.write(f'#!/bin/sh\ncase " $* " in *" -march=native "* | *" -mcpu=native "*) echo "unknown value native" >&2; exit 1 ;; esac\nexec {CC} "$@"\n')
        os.chmod(compiler, 0o755)
        with open(toolchain, "w") as file:
            file.write(f"set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR other)\nset(CMAKE_C_COMPILER {compiler})\n")
        for options, words in (([f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"], None), ([f"-DCMAKE_C_COMPILER={compiler}"], "knows no -march=native")):
            shutil.rmtree(os.path.join(folder, "build"), ignore_errors=True)
            said = configure(folder, "-DSHOCKLET_CUDA=OFF", *options)
            assert (words is None) == ("march=native" not in said) and (words or "") in said, said
            with open(os.path.join(folder, "build", "compile_commands.json")) as file:
                assert "=native" not in file.read()
            target = "CMakeFiles/batched.dir/status.c.o"
            done = subprocess.run(["cmake", "--build", os.path.join(folder, "build"), "--target", target], capture_output=True, text=True)
            assert done.returncode == 0, done


def builds_under_any_name(root):
    """The app's commands, too, in a folder whose name a shell would take apart."""
    folder = os.path.join(root, "it's (1) & more")
    subprocess.run(["cmake", "-S", os.path.dirname(SOURCE), "-B", folder, "-G", "Ninja", "-DSHOCKLET_CUDA=OFF", "-DBUILD_TESTING=OFF"], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run(["cmake", "--build", folder, "--target", "shocklet_version"], capture_output=True, text=True)
    assert done.returncode == 0, done


if not shutil.which("ninja"):
    print("skipped: there is no ninja")
    sys.exit(77)
with tempfile.TemporaryDirectory() as root:
    for test in says_which_blas, says_how_to_leave_cuda_out, compiles_for_another_machine, builds_under_any_name:
        test(root)
        print("passed:", test.__name__)
