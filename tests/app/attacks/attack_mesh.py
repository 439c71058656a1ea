# SPDX-License-Identifier: BSD-3-Clause
"""Attacks by meshes: sound ones of every shape, numbered at random, in either format; then with a fault that is to be refused or
warned of, or with a few words of the file changed."""
import os

from attack_folder import end
from restarts import content, shocklet

CURVED = [f"curved-{shape}.mesh" for shape in ("quads-p2", "quads-p3", "triangles", "tets")]
LAGHOS = os.path.join(os.environ["SHOCKLET_SOURCE"], "tests", "app", "laghos")
SHAPES = {"segment": (1, 1, 1), "triangle": (2, 2, 2), "quad": (2, 3, 3), "tet": (3, 4, 4), "hex": (3, 5, 5)}  # dimension, MFEM's and Gmsh's numbers
FACES = {  # of a zone, by its vertices
    "segment": [(0,), (1,)],
    "triangle": [(0, 1), (1, 2), (2, 0)],
    "quad": [(0, 1), (1, 2), (2, 3), (3, 0)],
    "tet": [(1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)],
    "hex": [(3, 2, 1, 0), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7), (4, 5, 6, 7)],
}
FACE_TYPE = {1: (0, 15), 2: (1, 1)}  # of dimension: MFEM's, Gmsh's
PATHS = [(0, 1, 3, 7), (0, 3, 2, 7), (0, 2, 6, 7), (0, 6, 4, 7), (0, 4, 5, 7), (0, 5, 1, 7)]  # tets of a cube, by corners x + 2 y + 4 z


class Mesh:
    """The unit cube: vertices, zones, and faces of its boundary as (attribute, vertices)."""

    def __init__(self, chance, shape):
        self.shape, self.dim = shape, SHAPES[shape][0]
        n = [chance.choice([1, 2, 3]) for _ in range(self.dim)]
        step = [1, n[0] + 1, (n[0] + 1) * (n[1] + 1) if self.dim > 1 else 0]
        grid = [[]]
        for cells in reversed(n):
            grid = [rest + [i / cells] for rest in grid for i in range(cells + 1)]
        self.vertices = [list(reversed(point)) for point in grid]  # x fastest
        cells = [[]]
        for count in reversed(n):
            cells = [rest + [i] for rest in cells for i in range(count)]
        self.zones = []
        for cell in cells:
            low = sum(i * s for i, s in zip(reversed(cell), step))
            corner = [low + sum(step[d] for d in range(self.dim) if c >> d & 1) for c in range(1 << self.dim)]
            self.zones += {"segment": lambda c: [c], "quad": lambda c: [[c[0], c[1], c[3], c[2]]], "triangle": lambda c: [[c[0], c[1], c[3]], [c[0], c[3], c[2]]],
                           "hex": lambda c: [[c[0], c[1], c[3], c[2], c[4], c[5], c[7], c[6]]], "tet": lambda c: [[c[i] for i in tet] for tet in PATHS]}[shape](corner)
        seen = {}
        for zone in self.zones:
            for face in FACES[shape]:
                face = [zone[i] for i in face]
                seen.setdefault(tuple(sorted(face)), []).append(face)
        self.faces = []
        for faces in seen.values():
            if len(faces) == 1:
                points = [self.vertices[v] for v in faces[0]]
                axis = next(d for d in range(self.dim) if len({p[d] for p in points}) == 1 and points[0][d] in (0, 1))
                self.faces.append([axis + 1, faces[0]])
        for point in self.vertices:  # inner ones move a little
            if all(0 < x < 1 for x in point):
                for d in range(self.dim):
                    point[d] += 0.05 * (chance.random() - 0.5)
        self.renumber(chance)

    def renumber(self, chance):
        order = list(range(len(self.vertices)))
        chance.shuffle(order)  # order[new] is the old one
        new = {old: i for i, old in enumerate(order)}
        self.vertices = [self.vertices[old] for old in order]
        self.zones = [[new[v] for v in zone] for zone in self.zones]
        self.faces = [[attribute, [new[v] for v in face]] for attribute, face in self.faces]
        chance.shuffle(self.zones)
        chance.shuffle(self.faces)
        if self.shape in ("quad", "triangle"):
            turn = [chance.randrange(4) for _ in self.zones]
            self.zones = [zone[t % len(zone):] + zone[:t % len(zone)] for zone, t in zip(self.zones, turn)]

    def face_type(self, of_gmsh):
        if self.dim < 3:
            return FACE_TYPE[self.dim][of_gmsh]
        return 2 if self.shape == "tet" else 3

    def mfem(self):
        words = lambda numbers: " ".join(map(str, numbers))
        lines = ["MFEM mesh v1.0", "", "dimension", str(self.dim), "", "elements", str(len(self.zones))]
        lines += [f"1 {SHAPES[self.shape][1]} {words(zone)}" for zone in self.zones]
        lines += ["", "boundary", str(len(self.faces))]
        lines += [f"{attribute} {self.face_type(0)} {words(face)}" for attribute, face in self.faces]
        lines += ["", "vertices", str(len(self.vertices)), str(self.dim), *(words(map(repr, point)) for point in self.vertices)]
        return "\n".join(lines) + "\n"

    def gmsh(self):
        rows = [(self.face_type(1), attribute, face) for attribute, face in self.faces]
        rows += [(SHAPES[self.shape][2], 9, zone) for zone in self.zones]
        lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(self.vertices))]
        lines += [f"{i + 1} " + " ".join(repr(x) for x in [*point, 0.0, 0.0][:3]) for i, point in enumerate(self.vertices)]
        lines += ["$EndNodes", "$Elements", str(len(rows))]
        lines += [f"{i + 1} {kind} 2 {tag} 1 " + " ".join(str(v + 1) for v in list_of) for i, (kind, tag, list_of) in enumerate(rows)]
        return "\n".join([*lines, "$EndElements", ""])


# ---------------------------------------------------------------------- faults: each says what is expected, None where it can't be made


def sound(_, mesh):
    return "sound"


def no_boundary(_, mesh):
    mesh.faces = []
    return "warned"


def unknown_attribute(chance, mesh):
    attribute = chance.choice(mesh.faces)[0]
    for face in mesh.faces:
        if face[0] == attribute:
            face[0] = 11
    return "warned"


def forgotten_face(chance, mesh):
    mesh.faces.remove(chance.choice(mesh.faces))
    return "warned"


def one_attribute(chance, mesh):
    if mesh.dim == 1:
        return None
    attribute = chance.randrange(mesh.dim) + 1
    for face in mesh.faces:
        face[0] = attribute
    return "warned"


def crack(chance, mesh):
    """A zone has vertices of its own."""
    inside = [zone for zone in mesh.zones if len(mesh.zones) > 1]
    if not inside:
        return None
    zone = chance.choice(inside)
    old = list(zone)
    outer = {tuple(sorted(face)) for _, face in mesh.faces}
    for i, v in enumerate(old):
        mesh.vertices.append(list(mesh.vertices[v]))
        zone[i] = len(mesh.vertices) - 1
    for face in mesh.faces:  # its own faces move with it
        mine = [[old[i] for i in indices] for indices in FACES[mesh.shape]]
        if sorted(face[1]) in [sorted(f) for f in mine]:
            face[1] = [zone[old.index(v)] for v in face[1]]
    return "warned" if outer else None


def zone_twice(chance, mesh):
    mesh.zones.append(list(chance.choice(mesh.zones)))
    return "refused or warned"


def zone_missing(chance, mesh):
    """A hole; its faces on the boundary of before go, too."""
    if len(mesh.zones) < 3 or mesh.dim == 1:
        return None
    zone = chance.choice(mesh.zones)
    mesh.zones.remove(zone)
    mine = [sorted(zone[i] for i in face) for face in FACES[mesh.shape]]
    mesh.faces = [face for face in mesh.faces if sorted(face[1]) not in mine]
    return "refused or warned"


def zone_turned_over(chance, mesh):
    zone = chance.choice(mesh.zones)
    i, j = {"segment": (0, 1), "triangle": (0, 1), "quad": (0, 1), "tet": (0, 1), "hex": (0, 1)}[mesh.shape]
    zone[i], zone[j] = zone[j], zone[i]
    return "refused or sound" if mesh.shape in ("triangle", "tet", "segment") else "refused"


def vertex_far_away(chance, mesh):
    point = chance.choice(mesh.vertices)
    point[chance.randrange(mesh.dim)] += chance.choice([-3.0, 3.0])
    return "refused or warned or fault" if mesh.dim > 1 else "refused or warned or sound"  # a longer line


def vertices_change_places(chance, mesh):
    if len(mesh.vertices) < 3:
        return None
    i, j = chance.sample(range(len(mesh.vertices)), 2)
    mesh.vertices[i], mesh.vertices[j] = mesh.vertices[j], mesh.vertices[i]
    return "refused or warned or fault"


def wrong_vertex(chance, mesh):
    chance.choice(mesh.zones)[0] = chance.choice([len(mesh.vertices), -1, 10**12, 10**30])
    return "refused"


def vertex_twice_in_a_zone(chance, mesh):
    zone = chance.choice(mesh.zones)
    zone[0] = zone[-1]
    return "refused"


def wrong_number(chance, mesh):
    chance.choice(mesh.vertices)[0] = chance.choice([float("nan"), float("inf"), -float("inf"), 1e308, 1e200])
    return "refused"


def face_of_no_zone(chance, mesh):
    if mesh.dim == 1 or len(mesh.vertices) < 8:
        return None
    for _ in range(100):
        face = chance.sample(range(len(mesh.vertices)), len(mesh.faces[0][1]))
        zones = [sorted(zone[i] for i in indices) for zone in mesh.zones for indices in FACES[mesh.shape]]
        if sorted(face) not in zones:
            mesh.faces.append([1, face])
            return "refused or warned"
    return None


FAULTS = [sound, sound, no_boundary, unknown_attribute, forgotten_face, one_attribute, crack, zone_twice, zone_missing, zone_turned_over, vertex_far_away,
          vertices_change_places, wrong_vertex, vertex_twice_in_a_zone, wrong_number, face_of_no_zone]


def change_words(chance, text):
    lines = text.split("\n")
    for _ in range(chance.choice([1, 1, 2, 5])):
        at = chance.randrange(len(lines))
        words = lines[at].split()
        how = chance.randrange(7)
        if how == 0:
            del lines[at]
        elif how == 1:
            lines.insert(at, chance.choice(lines))
        elif how == 2:
            lines = lines[:at + 1]
        elif words and how < 6:
            words[chance.randrange(len(words))] = chance.choice(["0", "-1", "1", "2", "7", "999999999999", "1e400", "nan", "x", "", "0x10", "4294967297", "9" * 400])
            lines[at] = " ".join(words)
        elif words:
            lines[at] = lines[at] + " " + words[-1]
    return "\n".join(lines)


def run(folder, text, keys, ranks):
    with open(os.path.join(folder, "a.mesh"), "w") as file:
        file.write(text)
    return end(shocklet(folder, ["taylor-green", "mesh.file=a.mesh", "time.max_steps=1", "output.progress=none", *keys], ranks, wait=False), 30)


def mesh(chance, folder):
    ranks, keys = chance.choice([0, 0, 0, 2]), [f"mesh.refine={chance.choice([0, 0, 1])}"]
    kind = chance.random()
    if kind < 0.2:
        name = chance.choice(CURVED + ["unstructured-square.mesh", "graded-box.mesh", "tets-6.mesh", "triangles-8.mesh"])
        text, what, expected = content(os.path.join(LAGHOS, name)).decode(), name, "sound"
        if chance.random() < 0.9:
            text, expected = change_words(chance, text), "anything"
    else:
        made = Mesh(chance, chance.choice(list(SHAPES)))
        fault = chance.choice(FAULTS) if kind < 0.8 else sound
        expected = fault(chance, made) or "anything"
        of_gmsh = chance.random() < 0.4
        text, what = made.gmsh() if of_gmsh else made.mfem(), f"{made.shape}s, {'Gmsh' if of_gmsh else 'MFEM'}, {fault.__name__}"
        if kind >= 0.8:
            text, expected = change_words(chance, text), "anything"
    if made_in_one_dimension(text):
        keys.append("problem.name=sod")
    status, said = run(folder, text, keys, ranks)
    ours = [line for line in said.splitlines() if "warning" not in line]
    got = {0: "warned" if "warning" in said else "sound", 1: "fault", 2: "refused"}.get(status, f"exit status {status}")
    assert status in (0, 1, 2) and len(ours) == (status != 0), f"{what} on {ranks} ranks: {status}: {said}\n{text}"
    assert expected == "anything" or got in expected.split(" or "), f"{what} {keys} on {ranks} ranks: {got}, not {expected}: {said}\n{text}"
    return f"{expected}: {got}" if expected == "anything" else got


def made_in_one_dimension(text):
    return "\ndimension\n1\n" in text or ("$MeshFormat" in text and not any(f" {kind} 2 9 " in text for kind in (2, 3, 4, 5)))
