# SPDX-License-Identifier: BSD-3-Clause
"""What all pictures share: matplotlib without a display, colours, and where pictures go."""
import csv
import os
import sys


def need(module, package):
    try:
        return __import__(module, fromlist=["_"])
    except ImportError:
        sys.exit(f"scripts/{os.path.basename(sys.argv[0])}: the Python package {module} is missing; on Debian and Ubuntu: apt-get install {package}")


np = need("numpy", "python3-numpy")
matplotlib = need("matplotlib", "python3-matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#666666"  # Okabe and Ito
PALETTE = [BLUE, ORANGE, "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"]
DPI = 150
plt.rcParams.update({"font.size": 12, "axes.titlesize": 13, "figure.dpi": DPI, "savefig.dpi": DPI,
                     "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})

saved = []  # the pictures


def save(figure, folder, name, **how):
    """Writes a picture; cut to what is drawn unless told otherwise (bbox_inches=None keeps the figure's size)."""
    path = os.path.join(folder, name + ".png")
    figure.savefig(path, **{"bbox_inches": "tight", "pad_inches": 0.1, **how})
    plt.close(figure)
    saved.append(path)
    print(path)


def stem_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def problem_beside(path):
    """The problem whose results lie in the folder of this file, and ": "; nothing where it can't be told."""
    folder = os.path.dirname(path) or "."
    series = [name for name in os.listdir(folder) if name.endswith(".vtkhdf.series")]
    return series[0][: -len(".vtkhdf.series")] + ": " if len(series) == 1 else ""


def read_rows(path):
    """The whole rows of a table as dictionaries: a run that goes on, or was killed, may leave half a row at the end."""
    with open(path, newline="") as file:
        return [row for row in csv.DictReader(file) if None not in row.values() and None not in row]
