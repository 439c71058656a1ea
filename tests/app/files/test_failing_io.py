# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
# timeout: 3000
"""A disk that fails at any call, is full, can't be written to or is not there: one sentence, exit status 3, no hang, and every
checkpoint that was complete is as good as before."""
import concurrent.futures
import errno
import os
import shutil
import subprocess
import tempfile

import program
from restarts import THOROUGH, checkpoints, content, good, path, prepare, shocklet

DECK = "{problem: {name: sedov}, mesh: {dim: 1, zones: [4]}, time: {max_steps: 6}, output: {fields_every: 3, history_every: 2, %s}}"
OUTPUT = "checkpoint_every: 2, keep: 1000"
LIBRARY = os.path.join(os.environ["SHOCKLET_BUILD"], "tests", "libfailing_io.so")


def failing(folder, n, ranks, reason, sticky):
    """The run in which the n-th call fails: what the program returned, and whether there was such a call."""
    prepare(folder, DECK, OUTPUT)
    mark = os.path.join(folder, "mark")
    inside = ["env", f"LD_PRELOAD={LIBRARY}", "FAIL_FOLDER=out/", f"FAIL_AT={n}", f"FAIL_ERRNO={reason}", f"FAIL_MARK={mark}",
              f"FAIL_RANK={max(ranks - 1, 0)}",
              "ASAN_OPTIONS=verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")] + (["FAIL_ON=1"] if sticky else [])
    result = shocklet(folder, ["deck.yaml"], ranks, inside=inside)
    return result, os.path.exists(mark)


def same_files(whole, folder, what):
    for file in os.listdir(os.path.join(whole, "out")):
        same = content(os.path.join(whole, "out", file)) == content(os.path.join(folder, "out", file))
        assert same, f"{what}: {file} differs"


def check(root, whole, n, ranks, reason, sticky):
    """Returns whether a call failed."""
    folder = os.path.join(root, f"{ranks}-{reason}-{sticky}-{n}")
    what = f"call {n} of {ranks} ranks fails with {os.strerror(reason)}" + (" and all that follow" if sticky else "")
    (status, _, err), failed = failing(folder, n, ranks, reason, sticky)
    ours = [line for line in err.splitlines() if line.startswith("shocklet:")]
    if failed and status != 0:
        assert status == 3, f"{what}: exit status {status}\n{err}"
        assert len(ours) == 1 and "out/" in ours[0] and os.strerror(reason) in ours[0], f"{what}: {err}"
    else:  # none failed, or one that HDF5 makes up for: it opens twice
        assert status == 0, f"{what}: exit status {status}\n{err}"
        same_files(whole, folder, what)
    for step in checkpoints(folder):
        assert content(path(folder, step)) == content(path(whole, step)), f"{what}: checkpoint {step} is another one"
    if checkpoints(folder) and n % 10 == 0:
        good(shocklet(folder, ["--restart", "latest", "deck.yaml"], ranks), f"{what}, and then goes on")
        same_files(whole, folder, what + ", and then goes on")
    shutil.rmtree(folder)
    return failed


def every_call_fails(ranks, reason, sticky, each):
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(1 if ranks else 2) as workers:
        whole = os.path.join(root, "whole")
        prepare(whole, DECK, OUTPUT)
        good(shocklet(whole, ["deck.yaml"], ranks), "whole")
        n, failed = 1, True
        while failed:
            batch = [workers.submit(check, root, whole, n + i * each, ranks, reason, sticky) for i in range(10)]
            failed = all([b.result() for b in batch])
            n += 10 * each
        print(f"{ranks} ranks: up to call {n}, each {each}, {os.strerror(reason)}{' for good' if sticky else ''}", flush=True)


def any_call_may_fail():
    each = [(7, 21, 49), (3, 11, 23), (1, 1, 1)][THOROUGH]
    every_call_fails(0, errno.ENOSPC, False, each[0])
    every_call_fails(0, errno.EIO, True, each[1])
    every_call_fails(2, errno.ENOSPC, False, each[2])


def checkpoints_that_cannot_move_are_told_of():
    """A run that goes back keeps the later checkpoints of the first one; here no folder takes them."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECK, OUTPUT)
        good(shocklet(folder, ["deck.yaml"], 0), "the first run")
        before = {step: content(path(folder, step)) for step in checkpoints(folder)}
        inside = ["env", f"LD_PRELOAD={LIBRARY}", "FAIL_FOLDER=out/old-", "FAIL_AT=1", f"FAIL_ERRNO={errno.EACCES}", "FAIL_ON=1",
                  "ASAN_OPTIONS=verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")]
        for ranks in 0, 2:
            status, _, err = shocklet(folder, ["--restart", path(folder, 2), "deck.yaml"], ranks, inside=inside)
            ours = [line for line in err.splitlines() if line.startswith("shocklet:")]
            assert status == 3 and len(ours) == 1 and "Permission denied" in ours[0], f"{ranks} ranks: {status} {err}"
            assert before == {step: content(path(folder, step)) for step in checkpoints(folder)}


def namespace(script):
    """Words in front of a command that run it in a mount namespace in which `script` was done; None: not allowed here."""
    words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", script + '\nexec "$@"', "sh"]
    try:
        return words if shocklet(".", ["--version"], 0, before=words)[0] == 0 else None
    except FileNotFoundError:
        return None


def a_full_disk_is_told_of():
    """A disk of 96 KiB: all goes well until it is full."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECK, "checkpoint_every: 1, keep: 1000")
        os.makedirs(os.path.join(folder, "out"))
        small = f"mount -t tmpfs -o size=96k none {folder}/out"
        if not namespace(small):
            print("no mount namespaces here: a full disk is not tested")
            return
        for ranks in 0, 2:
            # what is left is looked at before the namespace goes
            after = "\n".join([small, "trap 'exit 99' TERM", '"$@" || status=$?', f"rm -rf {root}/left", f"cp -r {folder}/out {root}/left",
                               "exit $status", ""])
            before = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", after, "sh"]
            status, _, err = shocklet(folder, ["deck.yaml"], ranks, before=before)
            assert status == 3 and "No space left on device" in err, f"{ranks} ranks: {status} {err}"
            left = os.path.join(root, "left")
            assert not [name for name in os.listdir(left) if name.endswith(".part")], os.listdir(left)
            shutil.rmtree(os.path.join(folder, "out"))
            shutil.copytree(left, os.path.join(folder, "out"))
            assert checkpoints(folder), f"{ranks} ranks: no checkpoint before the disk was full"
            good(shocklet(folder, ["--restart", "latest", "deck.yaml"], ranks), "after the disk was full")
            shutil.rmtree(os.path.join(folder, "out"))
            os.makedirs(os.path.join(folder, "out"))


def a_folder_that_takes_no_files_is_told_of():
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECK, OUTPUT)
        os.makedirs(os.path.join(folder, "out"))
        with open(os.path.join(folder, "file"), "w"):
            pass
        read_only = namespace(f"mount --bind {folder}/out {folder}/out\nmount -o remount,ro,bind {folder}/out")
        for words, before, sentence in ((["output.directory=file"], (), "Not a directory"),
                                        (["output.directory=file/below"], (), "Not a directory"),
                                        (["output.directory=/proc/nowhere"], (), "/proc/nowhere"),
                                        ([], read_only, "Read-only file system")):
            for ranks in 0, 2:
                if before is not None:
                    status, _, err = shocklet(folder, ["deck.yaml"] + words, ranks, before=before)
                    ours = [line for line in err.splitlines() if line.startswith("shocklet:")]
                    assert status == 3 and len(ours) == 1 and sentence in ours[0], f"{words} on {ranks} ranks: {status} {err}"


def a_file_may_not_grow():
    """The shell's limit on the size of a file, which comes as a signal first."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "a")
        prepare(folder, DECK, OUTPUT)
        before = ["sh", "-c", "ulimit -f 4; exec \"$@\"", "sh"]
        status, _, err = shocklet(folder, ["deck.yaml"], 0, before=before)
        if "Init_thread" in err:
            print("MPICH keeps what ranks share in files and does not start under this limit: not tested")
            return
        assert status == 3 and "File too large" in err, f"{status} {err}"
        assert not [name for name in os.listdir(os.path.join(folder, "out")) if name.endswith((".part", ".h5"))]


def output_that_goes_nowhere_is_told_of():
    with tempfile.TemporaryDirectory() as root, open("/dev/full", "w") as full:
        prepare(os.path.join(root, "a"), DECK, OUTPUT)
        for words in ["deck.yaml"], ["--keys"]:
            done = subprocess.run([os.environ["SHOCKLET"], *words], cwd=os.path.join(root, "a"), stdout=full,
                                  stderr=subprocess.PIPE, text=True, env=program.alone())
            assert (done.returncode, done.stderr) == (3, "shocklet: the standard output can't be written to\n"), done
        assert checkpoints(os.path.join(root, "a"))


program.main([output_that_goes_nowhere_is_told_of, checkpoints_that_cannot_move_are_told_of, any_call_may_fail, a_full_disk_is_told_of,
              a_folder_that_takes_no_files_is_told_of, a_file_may_not_grow])
