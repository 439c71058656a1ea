# SPDX-License-Identifier: BSD-3-Clause
# label: lint
"""Each lint finds a violation of each of its rules that is planted in a copy of the sources, and says where; nothing else ails the copy."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import sources

HEAD = "/* SPDX-License-Identifier: BSD-3-Clause */\n"
TABLE = "const batched_variant batched_potrf_cuda[] = {\n"
POTRF = "batched/cholesky/cuda/potrf.cu"
POTRI = "batched/cholesky/cuda/potri.cu"
POTRI_TABLE = "const batched_variant batched_potri_cuda[] = {\n"
LEAK = HEAD + "#include <stdlib.h>\nint planted(void);\nint planted(void)\n{\n  int *p = malloc(4);\n  return p != NULL;\n}\n"
# (lint, rule, {file: its text, or what becomes of the text that it has}, a word of the complaint)
PLANTED = [
    ("layers", "layers", {"mesh/planted.c": HEAD + '#include "fem/fem.h"\n'}, "mesh may include"),
    ("layers", "families", {"batched/lu/planted.c": HEAD + '#include "batched/qr/qr.h"\n'}, "lu may include"),
    ("layers", "what families share", {"batched/planted.c": HEAD + '#include "batched/qr/qr.h"\n'}, "includes none of them"),
    ("layers", "from the root", {"mesh/read/planted.c": HEAD + '#include "read.h"\n'}, "no path from the root"),
    ("layers", "MPI", {"fem/planted.c": HEAD + "#include <mpi.h>\n"}, "includes mpi.h"),
    ("layers", "CUDA", {"fem/planted.c": HEAD + "#include <cuda_runtime.h>\n"}, "only cuda/ folders may"),
    ("layers", "no #if for a backend", {"fem/planted.c": HEAD + "#ifdef SHOCKLET_CUDA\n#endif\n"}, "an #if for a backend"),
    ("layers", "files of a folder", {f"batched/lu/planted{i}.c": HEAD for i in range(31)}, "a folder has 30 at most"),
    ("texts", "licence", {"app/planted.c": "int planted;\n"}, "no line 'SPDX"),
    ("texts", "machine", {"docs/planted.md": "See /ho" "me/me/notes.\n"}, "names a machine's path"),
    ("texts", "columns", {"app/planted.c": HEAD + f"/* {'x' * 120} */\n"}, "a comment has 120"),
    ("texts", "deck", {"inputs/planted.yaml": "# what\nproblem: {name: sedov}\n"}, "exactly three comment lines"),
    ("texts", "files that exist", {"docs/planted.md": "See `app/planted.c`.\n"}, "which is not there"),
    ("texts", "a deck of each problem", {"app/problems/problems_planted.c": HEAD + 'int x = {.name = "planted"};\n'}, "no deck in inputs/"),
    ("docs", "rows of batched", {POTRF: lambda t: t.replace(TABLE, TABLE + '  {"cuda.planted", 0, 0, 0},\n')}, "cuda.planted"),
    ("docs", "rows of decks", {"fem/force/host/force.c": lambda t: t.replace('"host.sumfact"', '"host.planted"')}, "host.planted"),
    ("docs", "calls", {"batched/batched.h": lambda t: t + "int batched_planted(batched_ctx *ctx, int n);\n"}, "batched_planted"),
    ("docs", "keys", {"app/deck/deck_schema.c": lambda t: t + '  {"mesh.planted", DECK_INT,\n'}, "mesh.planted"),
    ("docs", "anchors", {"docs/planted.md": "[x](decks.md#planted)\n"}, "planted is no heading"),
    ("rows", "closed list of words", {POTRF: lambda t: t.replace(TABLE, TABLE + '  {"cuda.planted", 0, 0, 0},\n')}, "['planted'] is not in"),
    ("rows", "a row's file", {POTRF: lambda t: t.replace(TABLE, TABLE + '  {"cuda.few", 0, 0, 0},\n')}, "cuda.few of potrf can't be found"),
    ("rows", "a file of another operation", {POTRI: lambda t: t.replace(POTRI_TABLE, POTRI_TABLE + '  {"cuda.shared", 0, 0, 0},\n')},
     "cuda.shared of potri can't be found"),
    ("rows", "aliases", {"batched/cholesky/potrf.c": lambda t: t + '{"cuda.planted", "cuda.lost"}\n'}, "alias cuda.planted -> cuda.lost"),
    ("odr", "names", {f"batched/{f}/cuda/planted.cu": HEAD + "namespace x\n{\nstruct planted {\n};\n}\n" for f in ("lu", "qr")}, "planted"),
    ("format", "clang-format", {"app/planted.c": HEAD + "int  planted ;\n"}, "app/planted.c"),
    ("cppcheck", "errors", {"app/planted.c": HEAD + "int f(void)\n{\n  int a[2];\n  a[2] = 1;\n  return a[2];\n}\n"}, "app/planted.c"),
    ("tidy", "leaks", {"app/planted.c": LEAK}, "app/planted.c"),
    ("odr_link", "types at a link", {"app/planted.c": HEAD + "double planted[3];\n",
                                     "app/more.c": HEAD + "extern int planted[3];\nint f(void)\n{\n  return planted[1];\n}\n"}, "planted"),
]


def copy_of_sources(root):
    for path in sources.files():
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        shutil.copy2(os.path.join(sources.ROOT, path), os.path.join(root, path))


def commands(root, build, paths):
    """A build of these files alone, for the lints that ask the compiler's commands."""
    entries = [{"file": os.path.join(root, path), "directory": root,
                "command": f"gcc -I. -c {os.path.join(root, path)} -o CMakeFiles/app.dir/{os.path.basename(path)}.o"} for path in paths]
    with open(os.path.join(build, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(entries, file)


def run(lint, root, build):
    command = [sys.executable, os.path.join(root, "tests", "lint", f"test_{lint}.py")]
    environment = {**os.environ, "SHOCKLET_SOURCE": root, "SHOCKLET_BUILD": build, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    return done.returncode, done.stdout


def plant(root, path, text):
    """Writes it; returns the text that was there, or None."""
    full, before = os.path.join(root, path), None
    if callable(text):
        before = sources.text(path)
        text = text(before)
        assert text != before, path
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)
    return before


def pull_out(root, path, before):
    if before is None:
        os.remove(os.path.join(root, path))
    else:
        plant(root, path, before)


def complaints():
    with tempfile.TemporaryDirectory() as folder:
        root, build = os.path.join(folder, "copy"), os.path.join(folder, "build")
        os.mkdir(build)
        copy_of_sources(root)
        for lint, rule, files, word in PLANTED:
            before = {path: plant(root, path, text) for path, text in files.items()}
            commands(root, build, [path for path in files if path.endswith(".c")])
            status, output = run(lint, root, build)
            for path in files:
                pull_out(root, path, before[path])
            if status == 77:
                print(f"{lint}: skipped here")
            elif status != 1 or word not in output or "Traceback" in output:
                yield f"{lint}, {rule}: planted in {', '.join(files)}, and it says ({status}) {output[-1500:]}"
        for lint in ("layers", "texts", "docs", "rows", "odr"):
            status, output = run(lint, root, build)
            if status:
                yield f"{lint}: {output}"


lints = {name[5:-3] for name in os.listdir(os.path.dirname(os.path.abspath(__file__))) if name.startswith("test_") and name.endswith(".py")}
assert lints - {"planted"} == {lint for lint, _, _, _ in PLANTED}, "a lint without a planted violation"
sources.finish(list(complaints()), f"{len(PLANTED)} planted")
