# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a run's tables: profile, history, probes."""
from common import BLUE, GREY, ORANGE, PALETTE, csv, np, plt, problem_beside, read_rows, save, stem_of


def draw_profile(path, folder):
    """The density over the distance from the origin (r), or over x."""
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    if not rows or rows[0][:2] not in (["r", "density"], ["x", "density"]):
        return
    data = np.array(rows[1:], float)
    if not len(data):
        return
    data = data[np.argsort(data[:, 0])]
    figure, axis = plt.subplots(figsize=(8, 5))
    few = len(data) < 3000
    axis.plot(data[:, 0], data[:, 1], ".", ms=5 if few else 3, alpha=0.6 if few else 0.4, color=BLUE, mew=0,
              rasterized=True)
    axis.plot([], [], ".", ms=5, color=BLUE, mew=0, label="computed")  # opaque, for the legend
    if data.shape[1] > 2:
        known = np.isfinite(data[:, 2])
        axis.plot(data[known, 0], data[known, 2], color=ORANGE, lw=1.8, label="exact")
    radial = rows[0][0] == "r"
    axis.set(xlabel="distance from the origin (dimensionless)" if radial else "x (dimensionless)", ylabel="density (dimensionless)",
             title=f"{problem_beside(path)}density over {'the distance from the origin' if radial else 'x'}")
    if radial:
        axis.set_xlim(0, None)
    axis.grid(alpha=0.3)
    axis.legend()
    save(figure, folder, stem_of(path))


def draw_history(path, folder):
    rows = read_rows(path)
    if not rows or "kinetic" not in rows[0]:
        return
    time, dt, internal, kinetic, total = (np.array([float(row[name]) for row in rows])
                                          for name in ("time", "dt", "internal", "kinetic", "total"))
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 7), sharex=True, height_ratios=(2, 1))
    for values, name, color in ((total, "total", "black"), (internal, "internal", ORANGE), (kinetic, "kinetic", BLUE)):
        above.plot(time, values, color=color, lw=1.8, label=name)
    change = abs(total[-1] - total[0]) / abs(total[0]) if total[0] else 0
    above.set(ylabel="energy (dimensionless)", title=f"{problem_beside(path)}energies; the total changes by {change:.1e} of itself")
    above.legend()
    below.plot(time[1:], dt[1:], color=GREY, lw=1.5)
    below.set(xlabel="time (dimensionless)", ylabel="time step")
    below.set_ylim(0, None)
    for axis in (above, below):
        axis.grid(alpha=0.3)
    save(figure, folder, stem_of(path))


def draw_probes(path, folder):
    rows = read_rows(path)
    if not rows or "probe" not in rows[0]:
        return
    names = [name for name in ("density", "pressure", "energy", "vx", "vy", "vz") if name in rows[0]]
    figure, axes = plt.subplots(len(names), 1, figsize=(8, 1.9 * len(names) + 1), sharex=True)
    for i, probe in enumerate(sorted({row["probe"] for row in rows}, key=int)):
        here = [row for row in rows if row["probe"] == probe]
        place = ", ".join(f"{float(here[0][axis]):g}" for axis in "xyz" if axis in here[0])
        time = [float(row["time"]) for row in here]
        for axis, name in zip(axes, names):
            values = [float(row[name] or "nan") for row in here]  # empty while the point is outside the gas
            axis.plot(time, values, color=PALETTE[i % len(PALETTE)], lw=1.5, label=f"({place})")
    for axis, name in zip(axes, names):
        axis.set_ylabel(name)
        axis.grid(alpha=0.3)
    axes[0].legend(fontsize=9)
    axes[0].set_title(f"{problem_beside(path)}the state at the probes")
    axes[-1].set_xlabel("time (dimensionless)")
    save(figure, folder, stem_of(path))
