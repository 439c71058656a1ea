# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of files of fields: all of a series in one size and one range of colours; as a film where wanted."""
import os
import shutil
import subprocess
import sys

from common import matplotlib, need, np, plt, save, saved
from fields import Fields
from scenes import Body, Line, Plane, Slice

COLOURS = "viridis"  # even steps in brightness; safe for the colour-blind, and in grey
NUMBERED = {"rank", "material"}  # fields that are names rather than amounts
DECADES = 6  # of a logarithmic scale at most, unless a range is given


class Survey:
    """What all files of a series have: bounds of the mesh, and for each field its lowest, highest and lowest positive value."""

    def __init__(self):
        self.bounds, self.ranges, self.names, self.paths = None, {}, [], []

    def add(self, path, options):
        fields = Fields(path)
        points = fields.points.reshape(-1, 3)
        bounds = np.array([points.min(0), points.max(0)])
        for name in wanted(path, fields, options):
            values = fields.find(name)
            positive = values[values > 0]
            new = [values.min(), values.max(), positive.min() if positive.size else np.inf]
            old = self.ranges.get(name, [np.inf, -np.inf, np.inf])
            self.ranges[name] = [min(old[0], new[0]), max(old[1], new[1]), min(old[2], new[2])]
            self.names += [name] * (name not in self.names)
        if self.bounds is not None:
            bounds = np.array([np.minimum(bounds[0], self.bounds[0]), np.maximum(bounds[1], self.bounds[1])])
        self.bounds = bounds
        self.paths.append(path)


class Look:
    """How a field is drawn in all pictures of a series."""

    def __init__(self, name, options, survey):
        self.bounds, self.log, self.ticks = survey.bounds, options.log and name not in NUMBERED, None
        self.label = name if name in NUMBERED else f"{name} (dimensionless)"
        self.colours, self.title = COLOURS, ""
        low, high, least = survey.ranges[name]
        if name in NUMBERED and high - low < 20:
            self.number(int(low), int(high))
            return
        if options.range:
            low, high = options.range
        elif self.log:
            if not np.isfinite(least):
                raise ValueError(f"'{name}' is nowhere above 0, so it has no logarithm")
            low = max(least, high * 10.0 ** -DECADES)
        if low == high:
            low, high = low - 0.5 * abs(low) - (not low), high + 0.5 * abs(high) + (not high)
        self.norm = (matplotlib.colors.LogNorm if self.log else plt.Normalize)(low, high, clip=True)

    def number(self, low, high):
        """One colour each, from low to high."""
        n = high - low + 1
        self.colours = matplotlib.colors.ListedColormap(plt.get_cmap("tab10" if n <= 10 else "tab20").colors[:n])
        self.norm = plt.Normalize(low - 0.5, high + 0.5)
        self.ticks = range(low, high + 1, max(1, n // 10))


def describe(name, fields):
    zones, time = len(fields.points), fields.time
    time = f"{time:.4f}" if time >= 0.001 or time == 0 else f"{time:.3g}"
    return f"{fields.problem}: {name} at t = {time}, {zones} zone{'s' if zones != 1 else ''} of order {fields.order}"


def views(fields, options):
    if fields.dim < 3:
        if options.slice:
            sys.exit(f"scripts/plot: --slice is for 3D; this run has {fields.dim}D")
        return [Line() if fields.dim == 1 else Plane()]
    return [Slice(axis, at) for axis, at in options.slice] or [Body(), Slice(2, None)]


def wanted(path, fields, options):
    """The names of the fields to draw."""
    for name in options.field or []:
        if fields.find(name) is None:
            there = [name.strip("|") for name in fields.values]
            there += [f"{name}_{axis}" for name in fields.vectors for axis in "xyz"[: fields.dim]]
            sys.exit(f"scripts/plot: {path} has no field '{name}'; it has {', '.join(there)}")
    return options.field or fields.names()


def draw_file(path, survey, options, folder):
    fields = Fields(path)
    for name in survey.names:
        if fields.find(name) is None:
            continue
        look = Look(name, options, survey)
        look.title = describe(name, fields)
        for view in views(fields, options):
            stem = os.path.basename(path)[: -len(".vtkhdf")]
            save(view.draw(fields, fields.find(name), look), folder, f"{stem}_{name.strip('|')}{view.suffix}", bbox_inches=None)


# -- Films

def pixels(figure):
    figure.canvas.draw()
    image = np.array(figure.canvas.buffer_rgba())[..., :3]
    plt.close(figure)
    return image


def frames(survey, options):
    name = survey.names[0]
    look = Look(name, options, survey)
    for path in survey.paths:
        fields = Fields(path)
        look.title = describe(name, fields)
        yield pixels(views(fields, options)[0].draw(fields, fields.find(name), look))


def write_gif(images, rate, path):
    need("PIL", "python3-pil")
    from PIL import Image
    pictures = [Image.fromarray(image).quantize(256, dither=Image.Dither.NONE) for image in images]
    pictures[0].save(path, format="GIF", save_all=True, append_images=pictures[1:], duration=round(1000 / rate), loop=0)


def write_mp4(images, rate, path):
    images = iter(images)
    first = next(images)
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{first.shape[1]}x{first.shape[0]}",
               "-r", str(rate), "-i", "-", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4", path]
    ffmpeg = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        ffmpeg.stdin.write(first.tobytes())
        for image in images:
            ffmpeg.stdin.write(image.tobytes())
    except BrokenPipeError:
        pass  # and it says why
    said = ffmpeg.communicate()[1].decode(errors="replace").strip()
    if ffmpeg.returncode:
        raise ValueError("ffmpeg: " + (said.splitlines() or ["failed"])[-1])


def check_film(path):
    """Ends the program where a film can't be made."""
    if not path.endswith((".mp4", ".gif")):
        sys.exit(f"scripts/plot: {path}: a film ends in .mp4 or .gif")
    if path.endswith(".mp4") and not shutil.which("ffmpeg"):
        sys.exit("scripts/plot: ffmpeg is missing, which makes .mp4; on Debian and Ubuntu: apt-get install ffmpeg; .gif needs none")


def draw_film(survey, options):
    """The first field of a whole series, one picture per file; the film is there when it is complete."""
    part = options.movie + ".part"
    try:
        (write_mp4 if options.movie.endswith(".mp4") else write_gif)(frames(survey, options), options.fps, part)
        os.replace(part, options.movie)
    finally:
        if os.path.exists(part):
            os.remove(part)
    saved.append(options.movie)
    print(options.movie)
