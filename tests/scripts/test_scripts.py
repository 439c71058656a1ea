# SPDX-License-Identifier: BSD-3-Clause
# label: unit
"""scripts/run, scripts/launch and scripts/test, without their heavy parts: cmake and mpiexec are fakes in a copy of the folder."""
import os
import shutil
import signal
import subprocess
import tempfile

SOURCE = os.environ.get("SHOCKLET_SOURCE") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BASH = shutil.which("bash")
FAKES = {
    "cmake": 'echo "cmake $*" >>"$CALLS"; case "$*" in *--help*) echo --fresh;; *--preset*) mkdir -p build/release/bin; '
             'touch build/release/build.ninja; echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt; '
             'for o; do case $o in -D*=*) o=${o#-D}; echo "${o%%=*}:STRING=${o#*=}";; esac; done >>build/release/CMakeCache.txt; '
             'ln -sf "$SHOCKLET_FAKE" build/release/bin/shocklet;; esac',
    "shocklet": 'printf "%s\\n" shocklet "$@"; exit "${CHECK:-0}"',
    "mpiexec": 'printf "%s\\n" "$@"; exit "${STATUS:-0}"',
    "ninja": "true",
    "cc": "cat >/dev/null",
    "pkg-config": "true",
    "mpicc": "true",
    "c++": "true",
    "nvidia-smi": "false",
    "nvcc": "true",
}


def fake(folder, name, body):
    path = os.path.join(folder, name)
    if os.path.islink(path):
        os.remove(path)  # and not write into the machine's own program
    with open(path, "w") as file:
        file.write(f"#!{BASH}\n{body}\n")
    os.chmod(path, 0o755)


class Copy:
    """scripts/ and inputs/ in a folder of their own, with fakes in front of everything else."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "a [tree]*")
        self.calls = os.path.join(folder, "calls")
        self.fakes = os.path.join(folder, "fakes")
        for name in ("scripts", "inputs"):
            shutil.copytree(os.path.join(SOURCE, name), os.path.join(self.root, name))
        os.mkdir(self.fakes)
        for name, body in FAKES.items():
            fake(self.fakes, name, body)

    def run(self, *words, script="run", path=None, **environment):
        environment = {"CALLS": self.calls, "SHOCKLET_FAKE": os.path.join(self.fakes, "shocklet"), "PATH": path or f"{self.fakes}:{os.environ['PATH']}", **environment}
        command = [BASH, os.path.join(self.root, "scripts", script), *words]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return done.returncode, done.stdout.split("\n")[:-1], done.stderr


def tail(lines):
    """What mpiexec got after -n N: the program and its words."""
    assert lines[0] == "-n", lines
    assert lines[2].endswith("build/release/bin/shocklet"), lines
    return lines[3:]


def test_words_in_order(copy):
    deck = os.path.join(copy.root, "inputs", "first-run.yaml")
    assert tail(copy.run()[1]) == [deck]
    assert tail(copy.run("time.final=0.1")[1]) == [deck, "time.final=0.1"]
    assert tail(copy.run("mesh.refine=1", "my deck.yaml", "--quiet")[1]) == ["--quiet", "my deck.yaml", "mesh.refine=1"]
    assert tail(copy.run("--report", "r.json", "time.final=0.1")[1]) == ["--report", "r.json", deck, "time.final=0.1"]
    assert tail(copy.run("sedov")[1]) == ["sedov"]  # a problem's name is a deck
    assert tail(copy.run("mesh.refine=1", "noh")[1]) == ["noh", "mesh.refine=1"]
    assert copy.run("--variants")[:2] == (0, ["shocklet", "--variants"])
    assert copy.run("-h")[1][-2:] == ["shocklet", "-h"]
    assert copy.run("--check", "time.final=0.1")[:2] == (0, ["shocklet", "--check", deck, "time.final=0.1"])


def test_restarts(copy):
    """A checkpoint brings its deck; the latest one is the default deck's, unless a folder is named."""
    deck = os.path.join(copy.root, "inputs", "first-run.yaml")
    assert tail(copy.run("--restart", "a.h5", "time.final=2")[1]) == ["--restart", "a.h5", "time.final=2"]
    assert tail(copy.run("--restart=a.h5")[1]) == ["--restart=a.h5"]
    assert tail(copy.run("--restart", "latest")[1]) == ["--restart", "latest", deck]
    assert tail(copy.run("output.directory=o", "--restart=latest")[1]) == ["--restart=latest", "output.directory=o"]
    assert tail(copy.run("--restart", "a.h5", "my.yaml")[1]) == ["--restart", "a.h5", "my.yaml"]


def test_says_what_it_runs(copy):
    assert "bin/shocklet 'my deck.yaml' mesh.zones=[3,3]\n" in copy.run("my deck.yaml", "mesh.zones=[3,3]")[2]


def test_checks_all_words(copy):
    fake(copy.fakes, "shocklet", 'printf "%s\\n" "$@" >>"$CALLS.checked"')
    assert copy.run("--qiet", "a.yaml", "mesh.refine=1")[0] == 0
    with open(copy.calls + ".checked") as file:
        assert file.read().split("\n")[:-1] == ["--check", "--qiet", "a.yaml", "mesh.refine=1"]


def test_ranks(copy):
    assert copy.run(NP="3")[1][1] == "3"
    assert int(copy.run()[1][1]) >= 1
    for bad in ("0", "two", "-1", "1.5", "99999999999999999999"):
        status, lines, error = copy.run(NP=bad)
        assert status == 2 and not lines and bad in error, (bad, status, error)


def in_shell(copy, words, **environment):
    """What a line of bash says that has read scripts/machine.sh."""
    command = [BASH, "-uc", f'root=$1; . "$root/scripts/machine.sh"; {words}', "bash", copy.root]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True).stdout.strip()


def test_counts_cores_that_others_use(copy):
    """From the ticks of the processors that this shell may use; what is left is at least one."""
    stat = "cpu 9 9 9 9 9 9 9 9 0 0\n" + "".join(f"cpu{i} {user} 10 5 {idle} 20 3 2 {steal} 0 0\n"
                                                  for i, (user, idle, steal) in enumerate([(100, 50, 0), (0, 500, 0), (7, 3, 90)])) + "intr 1 2 3\n"
    assert in_shell(copy, "ticks ' 0 2 ' \"$STAT\"", STAT=stat) == f"{120 + 117} {190 + 140}"
    assert in_shell(copy, "ticks ' 0 1 2 ' \"$STAT\"", STAT=stat) == f"{120 + 20 + 117} {190 + 540 + 140}"
    for cores, work, left in (4, 0, 0), (4, 20, 1), (4, 90, 4), (2, 26, 1), (2, 24, 0), (64, 50, 32):
        assert in_shell(copy, f"share_of {cores} 1000 5000 {1000 + work} 5100") == str(left), (cores, work)
    assert in_shell(copy, "share_of 4 10 10 10 10") == "0"
    few = "allowed_processors() { echo ' 0 1 2 3 '; }; cores() { echo 4; };"
    assert [in_shell(copy, few + f"free_cores {n}") for n in (0, 1, 3, 4)] == ["4", "3", "1", "1"]
    assert in_shell(copy, "allowed_processors() { echo ' 0 1 2 3 '; }; cores() { echo 2; }; free_cores 1") == "2"  # a quota
    assert in_shell(copy, "allowed_processors") == " ".join(map(str, sorted(os.sched_getaffinity(0))))


def test_lets_others_have_their_cores(copy):
    """Ranks that wait yield, and are bound to no core, where others use some; then there are as many fewer."""
    environment = '; env | grep -E "yield|bind" | sort'
    assert in_shell(copy, "unset ${!OMPI_MCA_*} ${!PRTE_MCA_*}; share_cores" + environment).split() == [
        "OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_MCA_mpi_yield_when_idle=1", "PRTE_MCA_hwloc_default_binding_policy=none"]
    fake(copy.fakes, "mpiexec", 'echo "$2 $OMPI_MCA_mpi_yield_when_idle"')
    hogs = [subprocess.Popen([BASH, "-c", "while :; do :; done"]) for _ in os.sched_getaffinity(0)]
    try:
        for words, ranks in ([], "1"), (["--restart", "latest"], in_shell(copy, "cores")):
            status, lines, error = copy.run(*words)
            assert (status, lines) == (0, [f"{ranks} 1"]) and "others use about" in error, (words, lines, error)
        assert copy.run(NP="5")[1] == ["5 1"]
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def test_exit_status_is_handed_on(copy):
    for expected in ("0", "1", "2", "3"):
        assert copy.run(STATUS=expected)[0] == int(expected)
    assert copy.run(CHECK="2")[:2] == (2, [])  # a wrong deck is not started at all


def test_ends_an_mpiexec_that_waits_for_nobody(copy):
    """One whose only child has ended and was not waited for; neither one with a child that lives, nor one that had none, nor one that is stopped."""
    cases = {"hangs": "sleep 0.5 & exec sleep 100", "works": "sleep 12 & exec sleep 12", "starts": "exec sleep 12",
             "stopped": "sleep 0.5 & kill -STOP $$; exec sleep 100"}
    started = {}
    for name, body in cases.items():
        fake(copy.fakes, name, body)
        command = [os.path.join(copy.root, "scripts", "launch"), os.path.join(copy.fakes, name)]
        started[name] = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    for name in "hangs", "works", "starts":
        error = started[name].communicate(timeout=90)[1]
        assert started[name].returncode == (-signal.SIGTERM if name == "hangs" else 0), (name, started[name].returncode)
        assert error.count("shocklet: all ranks are gone") == (name == "hangs"), (name, error)
    assert started["stopped"].poll() is None
    started["stopped"].kill()
    started["stopped"].communicate()


def test_configures_once(copy):
    for times in (1, 1, 2):
        if times == 2:
            fake(copy.fakes, "nvidia-smi", "echo GPU 0: H100")  # now there is something else to build
        assert copy.run()[0] == 0
        with open(copy.calls) as file:
            assert sum("--preset" in line for line in file) == times


def test_names_what_is_missing(copy):
    for word in ("bash", "sh", "dirname", "id", "tr", "sort", "grep", "cat"):
        os.symlink(shutil.which(word), os.path.join(copy.fakes, word))
    os.remove(os.path.join(copy.fakes, "ninja"))
    status, _, error = copy.run(path=copy.fakes)
    assert status == 3 and "ninja-build" in error and "cmake" not in error, (status, error)
    fake(copy.fakes, "apt-get", "exit 100")
    status, _, error = copy.run(path=copy.fakes, SHOCKLET_NO_INSTALL="1")
    assert status == 3 and "apt-get install ninja-build" in error, (status, error)
    fake(copy.fakes, "id", "echo 1000")
    status, _, error = copy.run(path=copy.fakes)
    assert status == 3 and "only root" in error and "apt-get install ninja-build" in error, (status, error)


def test_installs_once(copy):
    """The package is not found before the lists are fetched, and is there afterwards."""
    for word in ("bash", "sh", "dirname", "id", "tr", "sort", "grep", "cat", "env", "nproc", "mkdir", "touch", "wc", "ln"):
        os.symlink(shutil.which(word), os.path.join(copy.fakes, word))
    os.remove(os.path.join(copy.fakes, "ninja"))
    fake(copy.fakes, "id", "echo 0")
    fake(copy.fakes, "apt-get", 'echo "apt-get $*" >>"$CALLS"; case "$*" in *update*) touch "$CALLS.lists";; '
         f'*install*) [ -f "$CALLS.lists" ] && ln -s mpicc "{copy.fakes}/ninja";; esac')
    status, _, error = copy.run(path=copy.fakes)
    assert status == 0, error
    assert copy.run(path=copy.fakes)[0] == 0
    with open(copy.calls) as file:
        calls = [line for line in file if line.startswith("apt-get")]
    assert [("update" in call) for call in calls] == [False, True, False], calls
    assert calls[-1].rstrip().endswith(" ninja-build"), calls


def test_unknown_stage(copy):
    status, _, error = copy.run("fast", script="test")
    assert status == 2 and "fast" in error and "unit" in error, (status, error)


def test_help(copy):
    """Says what there is, and installs and builds nothing."""
    for word in "--help", "-h":
        status, out, error = copy.run(word, script="test")
        text = "\n".join(out)
        assert status == 0 and not error and all(s in text for s in ("unit", "mpich", "lint")), (status, text, error)
        status, out, error = copy.run(word)
        text = "\n".join(out)
        assert status == 0 and not error and "key=value" in text and "not built yet" in text, (status, text, error)
    assert not os.path.exists(copy.calls)


def test_launch_needs_a_command(copy):
    for words in (), ("-x",):
        status, out, error = copy.run(*words, script="launch")
        assert status == 2 and not out and error.startswith("usage: scripts/launch mpiexec"), (status, out, error)
    status, out, error = copy.run("--help", script="launch")
    assert status == 0 and out[0].startswith("usage: scripts/launch mpiexec") and not error, (status, out, error)


for name, test in sorted(globals().items()):
    if name.startswith("test_"):
        with tempfile.TemporaryDirectory() as folder:
            test(Copy(folder))
            print("passed:", name)
