# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts share that draw figures of a paper out of a benchmark's table, measured now or read from a file."""
import argparse
import csv
import os
import subprocess
import sys

import children


def words_of(doc):
    """SOURCE, words and folder of the command line."""
    name = os.path.basename(sys.argv[0])
    usage, rest = doc.split("usage: ")[1].split("\n", 1)
    parser = argparse.ArgumentParser(prog=f"scripts/{name}", usage=usage, description=doc.split("usage: ")[0],
                                     epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="what is run, or a table")
    parser.add_argument("words", nargs="*", default=[], metavar="WORD", help="for what is run: key=value")
    parser.add_argument("-o", default=".", dest="folder", metavar="FOLDER", help="where pictures and table go")
    given = parser.parse_intermixed_args()
    for word in given.words:
        if "=" not in word:
            parser.error(f"{word} is no key=value")
    return given


def give_up(sentence, status):
    print(f"scripts/{os.path.basename(sys.argv[0])}: {sentence}", file=sys.stderr)
    sys.exit(status)


def run(command):
    """The lines that a benchmark prints."""
    try:
        done = children.run(command, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        give_up(f"{command[0]}: {error.strerror}; build it first", 2)
    if done.returncode:
        give_up(f"{' '.join(command)} ended with {done.returncode}", 1)
    return done.stdout.splitlines(True)


def read_table(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readlines()
    except (OSError, UnicodeDecodeError) as error:
        give_up(f"{path}: {getattr(error, 'strerror', None) or 'no text'}", 2)


def keep_table(lines, columns, folder, name):
    """Writes it into the folder, and returns its rows."""
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    if not rows or any(row.get(column) is None for row in rows for column in columns):
        give_up(f"there is no table with the columns {', '.join(columns)}", 2)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as error:
        give_up(f"{folder}: {error.strerror}", 2)
    return rows


def draw_lines(lines, path, decorate):
    """A picture of {label: [(x, y)]} on logarithmic axes, and what `decorate` adds to them."""
    from common import plt

    picture, axes = plt.subplots(figsize=(8, 6))
    for label, points in lines.items():
        axes.plot(*zip(*sorted(points)), marker="o", label=label)
    axes.set(xscale="log", yscale="log")
    decorate(axes)
    picture.savefig(path, dpi=120)
    plt.close(picture)
    print(path)
