# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of scaling: what scripts/scaling --csv writes, and what scripts/simulate --csv does, which is a model's."""
from common import PALETTE, csv, plt, save

MARKERS = "os^Dv<>"


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def read_efficiencies(path):
    """Label -> [(ranks, efficiency)], against the fewest ranks of the same device and zones per rank (weak), or of the same
    device and zones; empty if the file is something else."""
    rows, curves = read_rows(path), {}
    if not rows or not {"mode", "ranks", "device", "zones", "zones_per_rank", "fom0"} <= rows[0].keys():
        return curves
    for row in rows:
        if row["mode"] == "throughput":
            continue
        zones = float(row["zones_per_rank" if row["mode"] == "weak" else "zones"])
        label = f"{row['device']}, {zones:g} zones{' per rank' if row['mode'] == 'weak' else ', strong'}"
        curves.setdefault(label, []).append((int(row["ranks"]), float(row["fom0"])))
    for label, points in curves.items():
        ranks, rate = min(points)
        curves[label] = [(n, fom0 / n * ranks / rate) for n, fom0 in sorted(points)]
    return curves


def axis_of_ranks(axis, curves, name):
    ticks = sorted({n for points in curves.values() for n, _ in points})
    axis.set_xscale("log", base=2)
    axis.set_xticks(ticks, [str(n) for n in ticks])
    axis.minorticks_off()
    axis.set_xlabel(name)
    axis.grid(alpha=0.3)


def draw_curves(axis, curves):
    for i, (label, points) in enumerate(curves.items()):
        axis.plot(*zip(*points), MARKERS[i % len(MARKERS)] + "-", color=PALETTE[i % len(PALETTE)], label=label)


def draw_efficiencies(curves, folder, stem):
    if not curves:
        return
    figure, axis = plt.subplots(figsize=(7, 4))
    draw_curves(axis, curves)
    axis_of_ranks(axis, curves, "ranks, a GPU or a core each")
    axis.axhline(1, color="grey", linewidth=0.8, linestyle=":")
    axis.set(ylim=(0, 1.1), ylabel="efficiency")
    axis.legend(loc="lower left", fontsize=9)
    save(figure, folder, stem)


def read_simulated(path):
    """Network and node, and label -> [(ranks, seconds of a step)]; nothing if the file is something else."""
    rows, curves = read_rows(path), {}
    if not rows or not {"ranks", "network", "node", "scheme", "step", "growth"} <= rows[0].keys():
        return "", curves
    for row in rows:
        curves.setdefault(row["scheme"], []).append((int(row["ranks"]), float(row["step"])))
    return f"{rows[0]['network']}, {rows[0]['node']}", {label: sorted(points) for label, points in curves.items()}


def draw_simulated(machine, curves, folder, stem):
    """The step's time, and how it grows from the fewest ranks."""
    if not curves:
        return
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    draw_curves(left, {label: [(n, 1000 * step) for n, step in points] for label, points in curves.items()})
    draw_curves(right, {label: [(n, step / points[0][1]) for n, step in points] for label, points in curves.items()})
    for axis, what in ((left, "virtual ms of a step"), (right, "over that of the fewest")):
        axis_of_ranks(axis, curves, "nodes")
        axis.set_ylabel(what)
        axis.set_ylim(0, None)
    left.legend(title="scheme", fontsize=9)
    figure.suptitle(f"A model, not a measurement: {machine}")
    figure.tight_layout()
    save(figure, folder, stem)
