# SPDX-License-Identifier: BSD-3-Clause
"""Attacks on checkpoints: one is changed as HDF5 allows (or in its bytes), sealed again, and a run goes on from it."""
import json
import math
import os
import struct

from attack_folder import end
from restarts import checkpoints, content, path, prepare, shocklet

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

DECKS = [
    "{problem: {name: sedov}, mesh: {dim: 1, zones: [4]}, time: {max_steps: 4}, output: {%s}}",
    "{problem: {name: taylor-green}, mesh: {dim: 2, zones: [2, 2]}, time: {max_steps: 4}, output: {%s}}",
    "{problem: {name: noh}, mesh: {dim: 2, zone: triangle, zones: [2, 1]}, time: {max_steps: 4}, output: {%s}}",
    "{problem: {name: noh}, mesh: {dim: 3, zone: tet, zones: [1, 1, 1]}, time: {max_steps: 4}, output: {%s}}",
]
TABLE = []
for byte in range(256):
    crc = byte
    for _ in range(8):
        crc = crc >> 1 ^ (0xC96C5795D7870F42 if crc & 1 else 0)
    TABLE.append(crc)
SEAL = 24


def sealed(data):
    """With the mark, the length and the checksum that app/files/checksum.c puts at the end."""
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 0xFF]
    return data + b"SHOCKSUM" + struct.pack("<QQ", len(data), crc ^ 0xFFFFFFFFFFFFFFFF)


REALS = [math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-320, -1.0, 0.0, 1e30, 1e-30]
WHOLES = [0, -1, 1, 2**31, 2**32 + 1, 2**62, -2**63, 2**63 - 1, 7, 1000]


def datasets(file):
    found = []
    file.visititems(lambda name, thing: found.append(name) if isinstance(thing, h5py.Dataset) else None)
    return found


def change_numbers(chance, file, name):
    data = file[name][()]
    if not isinstance(data, numpy.ndarray) or data.dtype.kind not in "fi" or data.size == 0:
        return
    flat = data.reshape(-1)
    for _ in range(chance.choice([1, 1, 3])):
        at = chance.randrange(flat.size)
        flat[at] = chance.choice([chance.choice(REALS if data.dtype.kind == "f" else WHOLES), flat[chance.randrange(flat.size)]])
    file[name][...] = data


def change_deck(chance, file, _):
    text = file["/run/deck"][()]
    text = bytearray(text if isinstance(text, bytes) else text.encode())
    for _ in range(chance.choice([1, 4])):
        at = chance.randrange(len(text))
        how = chance.randrange(4)
        if how == 0:
            text[at] = chance.randrange(256)
        elif how == 1:
            text[at:at + 1] = chance.choice([b"999999999", b"-1", b"nan", b"{", b"&a *a", b"\n", b"1e400", b""])
        elif how == 2:
            del text[at:at + chance.randrange(20)]
        else:
            text[at:at] = bytes(text[:chance.randrange(len(text))])
    del file["/run/deck"]
    file.create_dataset("/run/deck", data=numpy.bytes_(bytes(text) or b"x"))


def replace(file, name, **made):
    del file[name]
    file.create_dataset(name, **made)


def change_shape(chance, file, name):
    data = numpy.atleast_1d(file[name][()])
    how = chance.randrange(6)
    shaped = [data[:-1], numpy.concatenate([data, data[-1:]]), data.reshape(-1), data[..., None], data[:0], data[::-1].copy()][how]
    replace(file, name, data=shaped)


def change_type(chance, file, name):
    data = numpy.atleast_1d(file[name][()])
    if data.dtype.kind in "fi":
        replace(file, name, data=data.astype(chance.choice(["<f4", ">f8", "<i1", ">i8", "<u8", "<f8", "<i8"])))
    else:
        replace(file, name, data=numpy.arange(3.0))


def change_place(chance, file, name):
    """As nothing a run stores: chunks, zipped, huge, elsewhere."""
    how, data = chance.randrange(6), numpy.atleast_1d(file[name][()])
    if how == 0:
        replace(file, name, data=data, chunks=True, compression="gzip")
    elif how == 1:
        replace(file, name, shape=(10**12, *data.shape[1:]), dtype=data.dtype, chunks=(1 << 16, *data.shape[1:]), compression="gzip")
    elif how == 2:
        replace(file, name, shape=(10**12, *data.shape[1:]), dtype=data.dtype)
    elif how == 3:
        replace(file, name, shape=data.shape, dtype=data.dtype, external=[("/etc/passwd", 0, data.nbytes)])
    elif how == 4:
        layout = h5py.VirtualLayout(shape=data.shape, dtype=data.dtype)
        layout[...] = h5py.VirtualSource("/tmp/none.h5", name, shape=data.shape)
        del file[name]
        file.create_virtual_dataset(name, layout)
    else:
        replace(file, name, data=data, maxshape=(None,) * data.ndim)


def change_links(chance, file, name):
    others = datasets(file)
    how = chance.randrange(6)
    if how == 5:
        group = name.rpartition("/")[0]
        file[group]["loop"] = file[group]
        return
    del file[name]
    if how == 1:
        file[name] = h5py.ExternalLink("/tmp/none.h5", name)
    elif how == 2:
        file[name] = h5py.SoftLink("/" + chance.choice(others))
    elif how == 3:
        file.create_group(name)
    elif how == 4:
        other = chance.choice(others)
        if other != name:
            file[name] = file[other]


def change_rows(chance, file, name):
    """Rows of one list change places, or are there twice."""
    data = file[name][()]
    if isinstance(data, numpy.ndarray) and len(data) > 1:
        i, j = chance.sample(range(len(data)), 2)
        data[[i, j]] = data[[j, i]] if chance.random() < 0.5 else data[[i, i]]
        file[name][...] = data


CHANGES = [change_numbers, change_numbers, change_numbers, change_deck, change_shape, change_type, change_place, change_links, change_rows]


def change_bytes(chance, data):
    data = bytearray(data)
    for _ in range(chance.choice([1, 3, 8])):
        at = chance.randrange(len(data) if chance.random() < 0.5 else len(data) // 8)
        data[at] = chance.choice([0, 0xFF, chance.randrange(256)])
    return bytes(data)


def craft(chance, name):
    """Changes the file, and says how."""
    data, told = content(name)[:-SEAL], []
    if h5py and chance.random() < 0.8:
        with open(name, "wb") as file:
            file.write(data)
        with h5py.File(name, "r+") as file:
            for _ in range(chance.choice([1, 1, 2])):
                change, where = chance.choice(CHANGES), chance.choice(datasets(file))
                told.append(f"{change.__name__} of {where}")
                change(chance, file, where)
        data = content(name)
    else:
        told.append("change_bytes")
        data = change_bytes(chance, data)
    with open(name, "wb") as file:
        file.write(sealed(data))
    return ", ".join(told)


def seal(chance, folder):
    where, ranks, latest = os.path.join(folder, "a"), chance.choice([0, 0, 0, 2]), chance.random() < 0.5
    prepare(where, chance.choice(DECKS))
    assert end(shocklet(where, ["deck.yaml"], chance.choice([0, 0, 2]), wait=False))[0] == 0
    steps = checkpoints(where)
    newest = path(where, steps[-1])
    assert sealed(content(newest)[:-SEAL]) == content(newest), "the seal is another one"
    what = craft(chance, newest)
    words = ["--restart", "latest" if latest else newest, *(["deck.yaml"] if latest else []), f"time.max_steps={steps[-1] + 3}", "--report", "r.json"]
    limited = ["sh", "-c", 'ulimit -v 8000000; exec "$@"', "sh"] if b"__asan_init" not in content(os.environ["SHOCKLET"]) else []
    run = shocklet(where, words, ranks, wait=False, before=limited)
    status, said = end(run, 30)
    what += f", {'latest' if latest else 'named'} on {ranks} ranks: {status}: {said}"
    assert status in (0, 1, 2, 3) and (status == 0 or said), what
    assert status != 3 or "memory" in said or "directory" in said, what
    if status == 2:
        assert sum("warning" not in line for line in said.splitlines()) == 1, what
    if status == 0:
        report = json.loads(content(os.path.join(where, "r.json")))
        assert all(value is not None and math.isfinite(value) for value in report["norm"].values()), what
        return "passed over" if "can't be used" in said else "taken"
    return "refused" if status == 2 else f"exit status {status}"
