# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of a run's report: where the time goes, and rates."""
import json

from common import BLUE, GREY, PALETTE, plt, save, stem_of

RATES = {"velocity_solve": "velocity solve", "energy_solve": "energy solve", "force": "corner force",
         "points": "point physics", "total": "total (figure of merit)", "fom0": "steps alone (FOM0)"}


def operations_of(report):
    """(label, seconds, fraction of the limit or None, nested) for every operation that took time, longest last."""
    rows = []
    for entry in report.get("operations", []):
        seconds = float(entry.get("seconds", 0))
        if seconds > 0:
            label = f"{entry.get('operation', '?')}\n{entry.get('variant', '')}"
            rows.append((label, seconds, entry.get("fraction"), entry.get("nested", False)))
    return sorted(rows, key=lambda row: row[1])[-16:]


def draw_operations(report, folder, stem):
    rows = operations_of(report)
    if not rows:
        return
    figure, axis = plt.subplots(figsize=(8.5, 0.55 * len(rows) + 1.4))
    seconds = [row[1] for row in rows]
    total = sum(row[1] for row in rows if not row[3])
    bars = axis.barh(range(len(rows)), seconds, color=[PALETTE[5] if row[3] else BLUE for row in rows], height=0.7)
    axis.set_yticks(range(len(rows)))
    axis.set_yticklabels([row[0] for row in rows], fontsize=9)
    for bar, (_, value, fraction, nested) in zip(bars, rows):
        text = " part of another" if nested else f" {100 * value / total:.1f} %"
        if fraction is not None:
            text += f", {100 * float(fraction):.0f} % of the limit"
        axis.text(value, bar.get_y() + bar.get_height() / 2, text, va="center", fontsize=9, color=GREY)
    axis.set_xlim(0, 1.35 * max(seconds))
    axis.set(xlabel="time (s)", title=f"Where the time goes: {describe(report)}")
    save(figure, folder, stem + "_operations")


def describe(report):
    problem = report.get("deck", {})
    problem = problem.get("problem", {}).get("name", "") if isinstance(problem, dict) else ""
    ranks = report.get("ranks", 1)
    return f"{problem} {report.get('zones', '?')} zones, {ranks} rank{'s' if ranks != 1 else ''}".strip()


def draw_rates(reports, folder):
    """reports: [(stem, report)]; side by side when there are several."""
    keys = [key for key in RATES if any(report.get("rate", {}).get(key) for _, report in reports)]
    if not keys:
        return
    figure, axis = plt.subplots(figsize=(8.5, (0.3 * len(reports) + 0.3) * len(keys) + 1.6))
    height = 0.8 / len(reports)
    top = max(report.get("rate", {}).get(key) or 0 for _, report in reports for key in keys)
    for i, (stem, report) in enumerate(reports):
        for k, key in enumerate(keys):
            value = report.get("rate", {}).get(key) or 0
            y = -k - (i - (len(reports) - 1) / 2) * height
            axis.barh(y, value, height * 0.9, color=PALETTE[i % len(PALETTE)], label=stem if k == 0 else None)
            axis.text(value + 0.01 * top, y, f"{value:.3g}", va="center", fontsize=9, color=GREY)
    axis.set_yticks(range(0, -len(keys), -1))
    axis.set_yticklabels([RATES[key] for key in keys])
    axis.set_xlim(0, 1.15 * top)
    axis.set(xlabel="rate (millions of unknowns or points per second)")
    axis.set_title("Rates: " + describe(reports[0][1]) if len(reports) == 1 else "Rates")
    if len(reports) > 1:
        axis.legend(fontsize=9)
    save(figure, folder, "rates" if len(reports) > 1 else reports[0][0] + "_rates")


def draw_report(path, folder, loaded):
    with open(path) as file:
        report = json.load(file)
    if isinstance(report, dict) and "operations" in report:
        loaded.append((stem_of(path), report))
        draw_operations(report, folder, loaded[-1][0])
