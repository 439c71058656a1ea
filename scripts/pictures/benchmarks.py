# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of benchmarks: the lines of one or several runs of batched_test_<op> --bench, what scripts/bench writes, and tables of
fractions of the limit beside those of another library (docs/batched-h100.csv)."""
from common import GREY, PALETTE, csv, np, plt, save


def read_benchmark(path):
    """(operation, type, options) -> variant -> [(m, fraction of the limit)]; empty if the file is something else.

    Options are what lines of one curve have in common: flags and layout where not 0 and dense, n and k where not as m."""
    with open(path, newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    curves = {}
    if not lines or not lines[0].startswith("op,variant,type,"):
        return curves
    header = lines[0]
    for row in csv.DictReader([header] + [line for line in lines if line != header]):
        try:
            point = int(row["m"]), float(row["fraction_of_limit"])
        except (TypeError, ValueError):
            continue
        options = [f"{name}={row[name]}" for name in ("n", "k") if row[name] != row["m"]]
        options += [f"flags={row['flags']}"] if row["flags"] != "0" else []
        options += [row["layout"]] if row["layout"] != "dense" else []
        curves.setdefault((row["op"], row["type"], " ".join(options)), {}).setdefault(row["variant"], []).append(point)
    return curves


def draw_benchmark(curves, folder, stem):
    for (op, kind, options), variants in sorted(curves.items()):
        figure, axis = plt.subplots(figsize=(8, 5))
        ours = iter(2 * PALETTE)
        for variant, points in variants.items():
            points = np.array(sorted(points), float)
            vendor = variant.startswith("vendor")
            axis.plot(points[:, 0], points[:, 1], "s--" if vendor else "o-", color="black" if vendor else next(ours),
                      lw=1.6, ms=5, label=variant)
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
        axis.set(xlabel="order of the matrices", ylabel="fraction of the machine's limit",
                 title=f"batched {kind}{op}: memory traffic and flops against what the machine can do"
                       + (f"\n{options}" if options else ""))
        axis.set_ylim(0, None)
        axis.grid(alpha=0.3)
        axis.legend()
        save(figure, folder, f"{stem}_{kind}{op}{options and '_'}{options.replace(' ', '_').replace('=', '')}")


def read_merits(path):
    """Rows with numbers for size and figure of merit; none if the file is something else."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = {"dim", "order", "kinematic_dofs", "fom0"}
    return [row for row in rows if wanted <= row.keys() and row["fom0"]] if rows else []


def draw_merits(rows, folder, stem):
    """A picture for each dimension: FOM0 over degrees of freedom, a colour for each order; Laghos hollow."""
    for dim in sorted({row["dim"] for row in rows}):
        figure, axis = plt.subplots(figsize=(8, 5))
        here = [row for row in rows if row["dim"] == dim]
        for order in sorted({int(row["order"]) for row in here}):
            points = sorted((float(row["kinematic_dofs"]), float(row["fom0"]), row.get("laghos_fom0") or "")
                            for row in here if int(row["order"]) == order)
            colour = PALETTE[(order - 1) % len(PALETTE)]
            axis.plot([p[0] for p in points], [p[1] for p in points], "o-", color=colour, label=f"Q{order}-Q{order - 1}")
            theirs = [(p[0], float(p[2])) for p in points if p[2]]
            axis.plot([p[0] for p in theirs], [p[1] for p in theirs], "o--", color=colour, mfc="white")
        if any(row.get("laghos_fom0") for row in here):
            axis.plot([], [], "o--", color=GREY, mfc="white", label="Laghos")
        axis.set(xscale="log", yscale="log", xlabel="kinematic degrees of freedom", ylabel="FOM0, million dofs x stages / s",
                 title=f"Sedov in {dim}D, {here[0].get('device', '')}")
        axis.grid(alpha=0.3, which="both")
        axis.legend()
        save(figure, folder, f"{stem}_{dim}d")


def read_fractions(path):
    """op -> [(n, our fraction of the limit, the best peer's)]; empty if the file is something else."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    curves = {}
    if rows and {"op", "n", "ours", "peer"} <= rows[0].keys():
        for row in rows:
            curves.setdefault(row["op"], []).append((float(row["n"]), float(row["ours"]), float(row["peer"])))
    return curves


def draw_fractions(curves, folder, stem):
    """A panel per operation, in one picture."""
    if not curves:
        return
    columns = min(3, len(curves))
    lines = -(-len(curves) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4 * columns, 3 * lines), sharey=True, squeeze=False)
    for axis in axes.flat[len(curves):]:
        axis.set_visible(False)
    for axis, (op, points) in zip(axes.flat, curves.items()):
        n, ours, peer = np.array(sorted(points)).T
        axis.plot(n, ours, "o-", color=PALETTE[0], label="batched")
        axis.plot(n, peer, "s--", color=GREY, label="best peer")
        axis.set(title=op, ylim=(0, 1.15), xscale="log")
        axis.set_xticks(n, [f"{x:g}" for x in n], minor=False)
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes[0][0].legend(loc="lower left")
    figure.supylabel("fraction of the limit")
    figure.supxlabel("order n")
    figure.tight_layout()
    save(figure, folder, stem)
