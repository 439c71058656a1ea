# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
"""scripts/plot makes a picture of everything a run leaves, alike in all files of a series, films of them, and says in one sentence
what is missing or wrong."""
import json
import os
import struct
import subprocess
import sys
import tempfile

PLOT = os.path.join(os.environ["SHOCKLET_SOURCE"], "scripts", "plot")
WRITER = os.path.join(os.environ["SHOCKLET_BUILD"], "bin", "app_test_output")


def plot(*arguments, **environment):
    return subprocess.run([PLOT, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def refuses(words, *arguments, **environment):
    run = plot(*arguments, **environment)
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 1 and words in run.stderr, run


def size_of(path):
    with open(path, "rb") as file:
        return struct.unpack(">II", file.read(26)[16:24])


def check_picture(path):
    with open(path, "rb") as file:
        head = file.read(26)
    width, height = size_of(path)
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and width > 300 and height > 200, path
    assert os.path.getsize(path) > 8000, f"{path} is blank"


def write_series(folder):
    """A box of one hex of order 1 that shrinks from [0, 2]^3 to [0, 1]^3 as its density, which is 1 + x/2 at first, grows; and the
    deck of some run."""
    os.mkdir(folder)
    program = """
import h5py, numpy as np, sys
for step in range(5):
    scale = 2 - step / 4
    with h5py.File(f"{sys.argv[1]}/box_{step:06d}.vtkhdf", "w") as file:
        grid = file.create_group("VTKHDF")
        points = np.array([[x, y, z] for z in (0, 1) for y in (0, 1) for x in (0, 1)], float)
        grid["Types"], grid["Points"], grid["FieldData/TimeValue"] = np.array([12], "u1"), scale * points, [0.1 * step]
        grid["PointData/density"] = (1 + points[:, 0]) * (1 + step)
        grid["PointData/velocity"] = -points
        grid["PointData/cold"] = np.zeros(8)
        grid["CellData/rank"] = np.array([3])
        file["run/deck"] = np.bytes_("# resolved\\nproblem:\\n  name: sod\\nmesh:\\n  dim: 3\\n")
"""
    subprocess.run(["/usr/bin/python3", "-c", program, folder], check=True)


def look_into(folder, *words):
    """What a script says that has scripts/pictures at hand and the fields of write_series."""
    code = "import sys; sys.path.insert(0, sys.argv[1])\n" + "\n".join(words)
    done = subprocess.run(["/usr/bin/python3", "-c", code, os.path.join(os.path.dirname(PLOT), "pictures"), folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def series_are_alike(root):
    """Sizes, bounds and colours are those of the whole series; films have a picture a file."""
    folder, pictures = os.path.join(root, "series of boxes"), os.path.join(root, "all")
    write_series(folder)
    run = plot(folder, "--all", "--field", "density", "--field", "velocity_x", "-o", pictures)
    assert run.returncode == 0 and not run.stderr, run
    drawn = os.listdir(pictures)
    assert len(drawn) == 5 * 2 * 2 and "box_000004_velocity_x_floor.png" in drawn, drawn
    for kind in "density.png", "density_floor.png", "velocity_x.png":
        assert len({size_of(os.path.join(pictures, name)) for name in drawn if name.endswith(kind)}) == 1, kind
    survey = ["import argparse, series, fields", "options = argparse.Namespace(field=None, log=%s, range=%s, slice=[])", "s = series.Survey()",
              "[s.add(f'{sys.argv[2]}/box_{i:06d}.vtkhdf', options) for i in range(5)]", "look = series.Look('density', options, s)",
              "print(*s.bounds.ravel(), look.norm.vmin, look.norm.vmax, type(look.norm).__name__, *s.names)"]
    told = look_into(folder, *[line % ("False", "None") if "%s" in line else line for line in survey])
    assert told == "0.0 0.0 0.0 2.0 2.0 2.0 1.0 10.0 Normalize cold density |velocity|".split(), told
    told = look_into(folder, *[line % ("True", "[0.5, 4]") if "%s" in line else line for line in survey])
    assert told[6:9] == ["0.5", "4.0", "LogNorm"], told
    told = look_into(folder, "import fields, slices", "f = fields.Fields(sys.argv[2] + '/box_000000.vtkhdf')",
                     "t, v, e = slices.cut(f, f.values['density'], 2, 0.5)", "a, b, c = t[:, 0], t[:, 1], t[:, 2]",
                     "area = abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]).sum() / 2",
                     "print(round(area, 9), abs(v - 1 - t[..., 0] / 2).max() < 1e-12, abs(e).max() <= 2, f.problem)")
    assert told == ["4.0", "True", "True", "sod"], told
    for film in "box.gif", "box.mp4":
        run = plot(folder, "--movie", os.path.join(root, film), "--slice", "x=0.5", "--log")
        if film.endswith("gif") or not run.returncode:
            assert run.returncode == 0 and run.stdout.split() == [os.path.join(root, film)], run
        else:
            assert "apt-get install ffmpeg" in run.stderr, run
    told = look_into(os.path.join(root, "box.gif"), "from PIL import Image", "i = Image.open(sys.argv[2])", "print(i.n_frames, i.width % 2, i.height % 2)")
    assert told == ["5", "0", "0"], told
    last = os.path.join(folder, "box_000004.vtkhdf")
    refuses("there is no gas in the plane z = 3, only from 0 to 1", last, "--slice", "z=3", "-o", pictures)
    refuses("'cold' is nowhere above 0, so it has no logarithm", last, "--field", "cold", "--log", "-o", pictures)
    refuses("a film ends in .mp4 or .gif", folder, "--movie", "box.avi")
    refuses("it has cold, density, velocity, rank, velocity_x", last, "--field", "heat")
    assert not [name for name in os.listdir(root) if name.endswith(".part")]
    for words in ["--range", "2", "1"], ["--range", "0", "1", "--log"], ["--slice", "w=1"], ["--slice", "x=a"], ["--fps", "0"]:
        run = plot(folder, *words)
        assert run.returncode == 2 and words[0] in run.stderr.splitlines()[-1], run


def simplices_are_collapsed(root):
    """Two tetrahedra of order 2 at a common face: what is drawn are the polynomials at the places, and six faces are outside."""
    path = os.path.join(root, "simplex_000000.vtkhdf")
    told = look_into(path, "import fields, h5py, numpy as np", "lattice = [(i, j, k) for k in range(3) for j in range(3 - k) for i in range(3 - k - j)]",
                     "corners = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]], float)",
                     "share = np.array([(2 - sum(m),) + m for m in lattice]) / 2", "points = np.einsum('nc,zcd->znd', share, corners).reshape(-1, 3)",
                     "f = lambda x: 1 + x[..., 0] * x[..., 1] - 3 * x[..., 2] ** 2", "file = h5py.File(sys.argv[2], 'w')",
                     "grid = file.create_group('VTKHDF')", "grid['Types'], grid['Points'] = np.array([71, 71], 'u1'), points",
                     "grid['FieldData/TimeValue'], grid['PointData/density'] = [0.0], f(points)", "file.close()", "r = fields.Fields(sys.argv[2])",
                     "p, v, n = fields.outer_faces(r, r.values['density'])", "volume = abs(np.linalg.det(corners[:, 1:] - corners[:, :1])).sum()",
                     "print(r.order, r.dim, abs(r.values['density'] - f(r.points)).max() < 1e-13, len(p), np.ptp(r.points), volume)")
    assert told == ["2", "3", "True", "6", "1.0", "3.0"], told
    run = plot(path, "--field", "density", "-o", root)
    assert run.returncode == 0 and "simplex_000000_density.png" in run.stdout, run


def newer_matplotlib(root, results):
    """3.9 has no Legend.legendHandles any more."""
    newer = os.path.join(root, "newer")
    os.mkdir(newer)
    with open(os.path.join(newer, "sitecustomize.py"), "w") as file:
        file.write("""import sys
from matplotlib.legend import Legend
def get(self, name):
    if name == "legendHandles" and not sys._getframe(1).f_globals["__name__"].startswith("matplotlib"):
        raise AttributeError(name)
    return object.__getattribute__(self, name)
Legend.__getattribute__ = get
""")
    run = plot(os.path.join(results, "profile.csv"), "-o", root, PYTHONPATH=newer)
    assert run.returncode == 0 and "profile.png" in run.stdout, run


def write_results(folder):
    subprocess.run([os.environ["SHOCKLET_MPIEXEC"], "-n", "2", WRITER, "write", folder, "0"], check=True)
    with open(os.path.join(folder, "profile.csv"), "w") as file:
        file.write("r,density,exact\n" + "".join(f"{i / 50},{i % 7},{i / 10}\n" for i in range(50)))
    with open(os.path.join(folder, "history.csv"), "w") as file:
        file.write("step,time,dt,internal,kinetic,total,attempts,velocity,energy\n")
        file.write("".join(f"{i},{i / 10},0.1,{1 - i / 50},{i / 50},1,1,30,10\n" for i in range(20)))
        file.write("20,2.0,0.1")  # the run is at it
    with open(os.path.join(folder, "probes.csv"), "w") as file:
        file.write("step,time,probe,x,y,density,pressure,energy,vx,vy\n")
        file.write("".join(f"{i},{i / 10},{probe},0.5,{probe},{'1,2,3,4,5' if i else ',,,,'}\n" for i in range(9) for probe in (0, 1)))
    with open(os.path.join(folder, "bench.csv"), "w") as file:
        for op in ("gemm", "potrf"):  # two runs, one after the other
            file.write("# limits: whatever\nop,variant,type,m,n,k,flags,layout,fraction_of_limit,times_vendor\n")
            file.write("".join(f"{op},{variant},d,{n},{n},{n},0,dense,{0.01 * n},1\n"
                               for variant in ("cuda.tile", "vendor.cublas") for n in (8, 16, 32)))
            file.write("".join(f"{op},host.ref,d,{n},1,{n},1,array,{0.01 * n},1\n" for n in (8, 16)))  # in pictures of their own
            file.write("a line that broke\n")
    with open(os.path.join(folder, "merits.csv"), "w") as file:
        file.write("device,dim,order,kinematic_dofs,fom0,laghos_fom0\n")
        file.write("".join(f"a GPU,3,{order},{10 ** size},{order * size},{size}\n" for order in (1, 2) for size in (4, 5, 6)))
    with open(os.path.join(folder, "peers.csv"), "w") as file:
        file.write("# where and when\nop,n,ours,peer\n")
        file.write("".join(f'"{op}",{n},{n / 64},{n / 128}\n' for op in ("gemm NN", "trsm, n rhs") for n in (8, 16, 32)))
    with open(os.path.join(folder, "weak.csv"), "w") as file:
        file.write("# where and when\nmode,ranks,device,zones,zones_per_rank,fom0\n")
        file.write("".join(f"weak,{n},{device},{512 * n},512,{n**0.9}\n" for device in ("a core", "a GPU") for n in (1, 2, 4)))
    with open(os.path.join(folder, "model.csv"), "w") as file:
        file.write("ranks,network,node,scheme,setup,step,growth\n")
        file.write("".join(f"{n},torus,h100,{scheme},1,0.001,1\n" for scheme in ("auto", "blocking") for n in (8, 64)))
    operation = {"operation": "a", "variant": "host.ref", "seconds": 2.0, "fraction": 0.5, "nested": False}
    report = {"ranks": 2, "zones": 8, "operations": [operation, {**operation, "operation": "b", "nested": True}],
              "rate": {"force": 1.5, "total": 0.7}}
    for name in ("one", "two"):
        with open(os.path.join(folder, name + ".json"), "w") as file:
            json.dump(report, file)


def one_by_one(results, folder):
    """What is damaged is told of in one sentence, and does not keep the rest from being drawn."""
    damaged = os.path.join(folder, "damaged")
    os.mkdir(damaged)
    for name in ("d2_p2_000003.vtkhdf", "d2_p2.vtkhdf.series", "one.json"):
        with open(os.path.join(results, name), "rb") as whole, open(os.path.join(damaged, name), "wb") as cut:
            cut.write(whole.read()[:20])
        refuses(name, os.path.join(damaged, name))
    with open(os.path.join(damaged, "bytes.csv"), "wb") as file:
        file.write(b"\xff\xfe\0")
    refuses("bytes.csv", os.path.join(damaged, "bytes.csv"))
    with open(os.path.join(damaged, "list.json"), "w") as file:
        json.dump({"operations": [1]}, file)
    refuses("list.json", os.path.join(damaged, "list.json"))
    run = plot(damaged, os.path.join(results, "history.csv"), "-o", damaged)
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 4 and "history.png" in run.stdout, run
    with open(os.path.join(damaged, "head.csv"), "w") as file:
        file.write("step,time,dt,internal,kinetic,total\n")
    refuses("no numbers are there", os.path.join(damaged, "head.csv"))
    refuses("No such file", results, "-o", "/proc/pictures")


def main():
    with tempfile.TemporaryDirectory() as folder:
        # Modules that fail to import stand in for packages that are missing.
        hidden = os.path.join(folder, "hidden")
        os.mkdir(hidden)
        with open(os.path.join(hidden, "matplotlib.py"), "w") as file:
            file.write("raise ImportError\n")
        refuses("apt-get install python3-", folder, PYTHONPATH=hidden)
        for package in ("numpy", "matplotlib", "h5py"):
            if subprocess.run(["/usr/bin/python3", "-c", f"import {package}"], capture_output=True).returncode:
                print(f"skipped: python3-{package} is missing")
                sys.exit(77)
        refuses("nothing to draw", folder)
        refuses("there is no", os.path.join(folder, "none"))
        results, pictures = os.path.join(folder, "results"), os.path.join(folder, "pictures")
        write_results(results)
        refuses("has no field 'mass'", os.path.join(results, "d2_p2_000003.vtkhdf"), "--field", "mass")
        run = plot(results, "-o", pictures, DISPLAY="")
        assert run.returncode == 0 and not run.stderr, run
        drawn = set(os.listdir(pictures))
        expected = {"profile.png", "history.png", "probes.png", "bench_dgemm.png", "bench_dpotrf.png",
                    "bench_dgemm_n1_flags1_array.png", "bench_dpotrf_n1_flags1_array.png", "merits_3d.png", "peers.png", "rates.png", "weak.png",
                    "model.png",
                    "one_operations.png", "two_operations.png"}
        for order in range(1, 5):
            for field in ("scalar", "vector", "zone", "mean"):
                expected |= {f"d{dim}_p{order}_000003_{field}.png" for dim in (1, 2, 3)}
                expected.add(f"d3_p{order}_000003_{field}_floor.png")
        assert drawn == expected, drawn ^ expected
        for name in drawn:
            check_picture(os.path.join(pictures, name))
        run = plot(os.path.join(results, "d2_p2.vtkhdf.series"), "-o", os.path.join(folder, "series"))
        assert run.returncode == 0 and len(run.stdout.splitlines()) == 4, run
        one_by_one(results, folder)
        simplices_are_collapsed(folder)
        series_are_alike(folder)
        newer_matplotlib(folder, results)
        print(f"{len(drawn)} pictures")


main()
