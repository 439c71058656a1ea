# SPDX-License-Identifier: BSD-3-Clause
# label: lint
# processors: 2
"""No two files of the libraries define different types of one name, or declare a function or a variable differently.

gcc compares them at a link with -flto -Wodr -Wlto-type-mismatch, members of types and of templates of types too; of functions it compares
types, not bodies, which test_odr.py is for.  Each file is compiled for that by its command of the build, unoptimised and without code; of
CUDA sources the host's half alone, by the commands that nvcc --dryrun names, without kernels.  What is linked is relocatable
(-flinker-output=rel): nothing is optimised there.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import sources

LTO = ["-O0", "-flto", "-fno-fat-lto-objects", "-w"]
OF_A_LIBRARY = re.compile(r"CMakeFiles/(batched|mesh|fem|solvers|app)\.dir/")
LINK = ["-r", "-nostdlib", "-flto", "-flinker-output=rel", "-Werror=odr", "-Werror=lto-type-mismatch"]


def output_of(command, folder, **more):
    """What a command says; raises if it fails."""
    run = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if run.returncode:
        raise RuntimeError(f"{command}:\n{run.stdout}")
    return run.stdout


def without(words, *pairs):
    """Without words that ask for speed, warnings and dependencies, and those of `pairs` with the word behind them."""
    kept, skip = [], False
    for word in words:
        if not skip and word not in pairs and not re.match(r"-(O\d|g|Werror.*|Wall|Wextra|MD|MMD)$|all-warnings$", word):
            kept.append(word)
        skip = not skip and word in pairs
    return kept


def compile_c(words, folder, result):
    output_of([*without(words, "-o", "-MF", "-MT"), *LTO, "-o", result], folder)


def compile_cuda(words, folder, result):
    """The host's half: preprocess, cudafe++, and the compiler, with no stubs of kernels."""
    with tempfile.TemporaryDirectory() as keep:
        options = ["--dryrun", "--keep", "--keep-dir", keep, "-o", result, *(f"-Xcompiler={word}" for word in LTO if word != "-w")]
        plan = [line[3:] for line in output_of([*without(words, "-o", "-MF", "-MT"), *options], folder).splitlines()
                if line.startswith("#$ ")]
        names = dict(line.split("=", 1) for line in plan if re.match(r"\w+=", line))
        front = next(line for line in plan if re.match(r'"?\S*cudafe\+\+', line))
        source = shlex.split(front)[-1]
        preprocess = next(line for line in plan if " -E " in line and shlex.split(line)[-1] == source)
        finish = next(line for line in plan if " -c " in line and ".cudafe1.cpp" in line)
        stub = shlex.split(front)[shlex.split(front).index("--stub_file_name") + 1]
        # What launches kernels comes from the device's half, which is not compiled here: an empty file in its place.
        open(os.path.join(keep, stub), "w", encoding="utf-8").close()
        env = dict(os.environ, **names)
        for line in preprocess, front, finish.replace(" -c ", f" -c -w -fpermissive -I{shlex.quote(keep)} ", 1):
            output_of(["bash", "-c", line], folder, env=env)


def compile_all(entries, into):
    """The objects of the entries of a compile_commands.json."""
    def one(number):
        entry, result = entries[number], os.path.join(into, f"{number}.o")
        words = shlex.split(entry["command"])
        words = words[os.path.basename(words[0]) == "ccache":]
        (compile_cuda if entry["file"].endswith(".cu") else compile_c)(words, entry["directory"], result)
        return result
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(one, range(len(entries))))


def complaints_of(objects, folder):
    """Of a link of the objects: what ends in error, and lto1's notes."""
    with open(os.path.join(folder, "objects"), "w", encoding="utf-8") as file:
        file.write("\n".join(map(shlex.quote, objects)))
    command = ["gcc", *LINK, "-o", os.path.join(folder, "all.o"), "@" + file.name]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return run.stdout if run.returncode else ""


def self_test(nvcc):
    """The check can fail, and only where it should."""
    frame = ("namespace n { template <class T> struct product { T a; @1 }; enum kind { @2 }; "
             "template <class T> struct outer { struct rows { @3 }; rows r; }; "
             "product<double> x@0; kind k@0; outer<int> y@0; }")
    def of(*words):
        return re.sub("@([0-3])", lambda m: words[int(m[1])], frame)
    pairs = [
        (".c", "", "int f(int x) { return x; }", "int f(int); int g(void) { return f(1); }"),
        (".c", "f", "int f(int x) { return x; }", "int f(double); int g(void) { return f(1); }"),
        (".c", "table", "double table[3];", "extern int table[3]; int g(void) { return table[1]; }"),
    ]
    for suffix in [".cc"] * bool(shutil.which("g++")) + [".cu"] * bool(nvcc):
        pairs += [(suffix, word, of("0", "", "WHOLE", "int m;"), of("1", *second)) for word, second in (
            ("", ("", "WHOLE", "int m;")), ("product", ("T b;", "WHOLE", "int m;")), ("kind", ("", "LOWER", "int m;")),
            ("rows", ("", "WHOLE", "double m;")))]
    with tempfile.TemporaryDirectory() as folder:
        for suffix, word, *texts in pairs:
            entries = []
            for i, text in enumerate(texts):
                path = os.path.join(folder, f"{i}{suffix}")
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                compiler = {".c": "gcc", ".cc": "g++", ".cu": f"{nvcc} -arch=sm_90"}[suffix]
                entries.append({"file": path, "directory": folder, "command": f"{compiler} -c {path} -o {i}.o"})
            found = complaints_of(compile_all(entries, folder), folder)
            assert bool(found) == bool(word) and word in found, (suffix, word, found)


def main():
    with open(os.path.join(sources.BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = [e for e in json.load(file) if OF_A_LIBRARY.search(e["command"]) and e["file"].startswith(sources.ROOT + os.sep)]
    if "Free Software Foundation" not in output_of([shlex.split(entries[0]["command"])[0], "--version"], sources.BUILD):
        print("gcc alone compares types at a link, and this build is another compiler's")
        sys.exit(77)
    nvcc = next((shlex.split(e["command"])[0] for e in entries if e["file"].endswith(".cu")), "")
    self_test(nvcc)
    with tempfile.TemporaryDirectory() as folder:
        found = complaints_of(compile_all(entries, folder), folder)
    sources.finish([found] if found else [], f"{len(entries)} files, {sum(e['file'].endswith('.cu') for e in entries)} of them in CUDA")


main()
