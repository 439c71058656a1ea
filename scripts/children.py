# SPDX-License-Identifier: BSD-3-Clause
"""Programs that the scripts start: they end with the script, whatever ends it."""
import ctypes
import os
import signal
import subprocess
import sys

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # in containers
PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)
SECONDS_TO_END = 10
prctl = ctypes.CDLL(None).prctl


def tie(parent):
    """In a new child: a SIGTERM once its parent is gone, even by SIGKILL."""
    prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(128 + signal.SIGTERM)


def end(process):
    """A SIGTERM first: mpirun then ends its ranks."""
    process.terminate()
    try:
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()


def run(command, **options):
    """As subprocess.run; a SIGTERM to this process is an exception in it, so that folders are removed on the way out."""
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    parent = os.getpid()
    try:
        with subprocess.Popen(command, preexec_fn=lambda: tie(parent), **options) as process:
            try:
                out, error = process.communicate()
            except BaseException:
                end(process)
                raise
        return subprocess.CompletedProcess(command, process.returncode, out, error)
    finally:
        signal.signal(signal.SIGTERM, before)
