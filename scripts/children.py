# SPDX-License-Identifier: BSD-3-Clause
"""Programs that the scripts start: they end with the script, whatever ends it; and how a script ends that is not let finish."""
import ctypes
import os
import signal
import subprocess
import sys

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # in containers
PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
SECONDS_TO_END = 10
TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
prctl = ctypes.CDLL(None).prctl


def tie(parent):
    """In a new child: a SIGTERM once its parent is gone, even by SIGKILL."""
    prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(128 + signal.SIGTERM)


def end(process):
    """A SIGTERM first: mpirun then ends its ranks.  One that has ended is left alone."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()


def finish(script):
    """Runs a script's main function.  Ctrl-C, SIGTERM, SIGHUP and a reader that leaves (| head -1) end it by an exception, so that it can
    write what it has measured, and without a traceback, as does a file that can't be read, written or run."""
    for number in signal.SIGTERM, signal.SIGHUP:
        if signal.getsignal(number) == signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    name = os.path.relpath(sys.argv[0], TOP)
    try:
        script()
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"{name}: interrupted", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still in the buffer
        sys.exit(128 + signal.SIGPIPE)
    except OSError as error:
        print(f"{name}: {f'{error.filename}: ' if error.filename else ''}{error.strerror}", file=sys.stderr)
        sys.exit(3)


def run(command, **options):
    """As subprocess.run; a SIGTERM to this process is an exception in it, so that folders are removed on the way out."""
    return run_at_once([command], **options)[0]


def run_at_once(commands, cpus=None, **options):
    """The same for several, all at the same time; cpus: the CPU that each is bound to."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    parent, processes = os.getpid(), []

    def start(cpu):
        tie(parent)
        if cpu is not None:
            os.sched_setaffinity(0, {cpu})

    try:
        for command, cpu in zip(commands, cpus or [None] * len(commands)):
            processes.append(subprocess.Popen(command, preexec_fn=lambda cpu=cpu: start(cpu), **options))
        outputs = [process.communicate() for process in processes]
        return [subprocess.CompletedProcess(command, process.returncode, *output) for command, process, output in zip(commands, processes, outputs)]
    finally:
        for process in processes:
            end(process)
        signal.signal(signal.SIGTERM, before)
