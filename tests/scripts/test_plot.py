# SPDX-License-Identifier: BSD-3-Clause
# label: mpi
# processors: 2
"""scripts/plot makes a picture of everything a run leaves, and says in one sentence what is missing or wrong."""
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


def check_picture(path):
    with open(path, "rb") as file:
        head = file.read(26)
    width, height = struct.unpack(">II", head[16:24])
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and width > 300 and height > 200, path
    assert os.path.getsize(path) > 8000, f"{path} is blank"


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
    run = plot(damaged, os.path.join(results, "history.csv"), "-o", damaged)
    assert run.returncode == 1 and len(run.stderr.splitlines()) == 3 and "history.png" in run.stdout, run
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
                    "bench_dgemm_n1_flags1_array.png", "bench_dpotrf_n1_flags1_array.png", "merits_3d.png", "rates.png",
                    "one_operations.png", "two_operations.png"}
        for order in range(1, 5):
            for field in ("scalar", "vector"):
                expected |= {f"d{dim}_p{order}_000003_{field}.png" for dim in (1, 2, 3)}
                expected.add(f"d3_p{order}_000003_{field}_floor.png")
        assert drawn == expected, drawn ^ expected
        for name in drawn:
            check_picture(os.path.join(pictures, name))
        run = plot(os.path.join(results, "d2_p2.vtkhdf.series"), "-o", os.path.join(folder, "series"))
        assert run.returncode == 0 and len(run.stdout.splitlines()) == 2, run
        one_by_one(results, folder)
        print(f"{len(drawn)} pictures")


main()
