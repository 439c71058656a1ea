/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is said of a wrong deck.
 */
#include "tests/app/deck/deck_case.h"

typedef struct wrong_deck {
  const char *text, *expected;
  const char *override; /* the sentence must name the command line */
} wrong_deck;

#define TEN "0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "

static const wrong_deck syntax[] = {
  {"", "t.yaml: the deck is empty", NULL},
  {"# nothing\n", "t.yaml: the deck is empty", NULL},
  {"sedov\n", "t.yaml:1: a deck consists of sections", NULL},
  {"\n- problem\n", "t.yaml:2: a deck consists of sections", NULL},
  {"problem: {name: sedov\n", "not YAML", NULL},
  {"problem:\n  name: sedov\n\tmesh: 1\n", "t.yaml:3: not YAML", NULL},
  {"problem: {name: sedov}}\n", "t.yaml:1: not YAML", NULL},
  {"problem: {name: \"sedov}\n", "not YAML", NULL},
  {"problem: {name: sedov}\nmesh: {dim: 3, dim: : 2}\n", "t.yaml:2:", NULL},
  {SEDOV "\x01\n", "t.yaml:2: not YAML", NULL},
  {SEDOV "# \xff\xfe\n", "t.yaml:2: not YAML", NULL},
  {"problem: &p {name: sedov}\n", "t.yaml:1: anchors (&name) are not allowed", NULL},
  {"problem: {name: *p}\n", "t.yaml:1: aliases (*name) are not allowed", NULL},
  {"problem: {name: !!str sedov}\n", "t.yaml:1: tags (!name) are not allowed", NULL},
  {"!x\nproblem: {name: sedov}\n", "tags (!name) are not allowed", NULL},
  {SEDOV "---\nproblem: {name: noh}\n", "t.yaml:2: a second document is not allowed", NULL},
  {"problem: {name: \"se\\0dov\"}\n", "t.yaml:1: a NUL character", NULL},
  {"? [a, b]\n: 1\n", "t.yaml:1: a key must be a word", NULL},
  {"? {a: b}\n: 1\n", "t.yaml:1: a key must be a word", NULL},
};

static const wrong_deck names[] = {
  {"mesh: {dim: 3}\n", "t.yaml: problem.name: is missing; allowed: taylor-green, sedov", NULL},
  {"problem:\n", "problem.name: is missing", NULL},
  {"{}\n", "problem.name: is missing", NULL},
  {"problem: sedov\n", "t.yaml:1: problem: is a section", NULL},
  {"problem: [sedov]\n", "t.yaml:1: problem: is a section", NULL},
  {"problem: ~\n", "t.yaml:1: problem: is a section", NULL},
  {"problem: {name: sedv}\n", "t.yaml:1: problem.name: sedv is not known; allowed: taylor-green, sedov", NULL},
  {"problem: {name: Sedov}\n", "problem.name: Sedov is not known", NULL},
  {"problem: {name: 1}\n", "problem.name: 1 is not known", NULL},
  {"problem: {name: }\n", "problem.name: has no value", NULL},
  {"problem: {name: \"\"}\n", "problem.name:  is not known", NULL},
  {"problem: {name: [sedov]}\n", "problem.name: is a list; one name is expected", NULL},
  {"problem: {name: {sedov: 1}}\n", "problem.name: is a section here; name expected", NULL},
  {"problem: {nmae: sedov}\n", "t.yaml:1: problem.nmae: no such key; did you mean problem.name?", NULL},
  {SEDOV "\nmesh:\n  dmi: 3\n", "t.yaml:4: mesh.dmi: no such key; did you mean mesh.dim?", NULL},
  {SEDOV "refine: 3\n", "t.yaml:2: refine: no such key; did you mean mesh.refine?", NULL},
  {SEDOV "mesh: {cfl: 0.5}\n", "mesh.cfl: no such key; did you mean time.cfl?", NULL},
  {SEDOV "mehs: {refine: 3}\n", "t.yaml:2: mehs: no such key; did you mean mesh?", NULL},
  {SEDOV "solvers: {velocty: {tolerance: 1}}\n", "t.yaml:2: solvers.velocty: no such key", NULL},
  {SEDOV "mesh: {quux_flavour: 3}\n", "no such key; --keys lists all of them", NULL},
  {SEDOV "mesh: {<<: 3}\n", "no such key", NULL},
  {SEDOV "mesh.refine: 1\n", "mesh.refine: no such key", NULL},
  {SEDOV "mesh: {refine: 1, refine: 1}\n", "t.yaml:2: mesh.refine: is given twice; first on line 2", NULL},
  {SEDOV "mesh:\n  refine: 1\n  dim: 3\n  refine: 2\n", "t.yaml:5: mesh.refine: is given twice; first on line 3", NULL},
  {SEDOV "mesh: {refine: 1}\nmesh: {dim: 3}\n", "t.yaml:3: mesh: the section is given twice", NULL},
  {SEDOV "kernels: {corner_forec: auto}\n", "did you mean kernels.corner_force?", NULL},
  {SEDOV "kernels: {force: auto}\n", "did you mean kernels.corner_force?", NULL},
  {SEDOV "output: {dir: x}\n", "did you mean output.directory?", NULL},
  {SEDOV "solvers: {energy: {tol: 1}}\n", "did you mean solvers.energy.tolerance?", NULL},
  {SEDOV "Mesh: {Refine: 1}\n", "did you mean mesh", NULL},
};

static const wrong_deck values[] = {
  {SEDOV "mesh: {refine: x}\n", "t.yaml:2: mesh.refine: x is not an integer; allowed: 0 to 12", NULL},
  {SEDOV "mesh: {refine: 2.5}\n", "mesh.refine: 2.5 is not an integer", NULL},
  {SEDOV "mesh: {refine: 1e1}\n", "mesh.refine: 1e1 is not an integer", NULL},
  {SEDOV "mesh: {refine: 0x2}\n", "mesh.refine: 0x2 is not an integer", NULL},
  {SEDOV "mesh: {refine: -1}\n", "t.yaml:2: mesh.refine: -1 is out of range; allowed: 0 to 12", NULL},
  {SEDOV "mesh: {refine: 13}\n", "mesh.refine: 13 is out of range; allowed: 0 to 12", NULL},
  {SEDOV "mesh: {refine: 99999999999999999999}\n", "99999999999999999999 is out of range", NULL},
  {SEDOV "mesh: {refine: 4294967297}\n", "4294967297 is out of range", NULL},
  {SEDOV "mesh: {refine: \"2\"}\n", "mesh.refine: \"2\" is a string; integer expected", NULL},
  {SEDOV "mesh: {refine: }\n", "mesh.refine: has no value", NULL},
  {SEDOV "mesh: {refine: [1]}\n", "mesh.refine: is a list; one integer is expected", NULL},
  {SEDOV "mesh: {refine: true}\n", "mesh.refine: true is not an integer", NULL},
  {SEDOV "mesh: {refine: -}\n", "mesh.refine: - is not an integer", NULL},
  {SEDOV "mesh: {refine: |\n  a\n  b\n  }\n", "t.yaml:2:", NULL},
  {SEDOV "mesh:\n  refine: >\n    line\n    line\n", "t.yaml:3: mesh.refine: \"line line \" is a string", NULL},
  {SEDOV "time: {final: 0.6x}\n", "time.final: 0.6x is not a finite number; allowed: above 0", NULL},
  {SEDOV "time: {final: nan}\n", "time.final: nan is not a finite number", NULL},
  {SEDOV "time: {final: .nan}\n", "time.final: .nan is not a finite number", NULL},
  {SEDOV "time: {final: inf}\n", "time.final: inf is not a finite number", NULL},
  {SEDOV "time: {final: 1e400}\n", "time.final: 1e400 is not a finite number", NULL},
  {SEDOV "time: {final: 0x1p3}\n", "time.final: 0x1p3 is not a finite number", NULL},
  {SEDOV "time: {final: 1.2.3}\n", "time.final: 1.2.3 is not a number", NULL},
  {SEDOV "time: {final: 1e}\n", "time.final: 1e is not a number", NULL},
  {SEDOV "time: {final: 0}\n", "time.final: 0 is out of range; allowed: above 0", NULL},
  {SEDOV "time: {final: -1}\n", "time.final: -1 is out of range", NULL},
  {SEDOV "time: {cfl: 0}\n", "time.cfl: 0 is out of range; allowed: above 0, at most 10", NULL},
  {SEDOV "time: {cfl: -0.5}\n", "time.cfl: -0.5 is out of range", NULL},
  {SEDOV "time: {cfl: 10.5}\n", "time.cfl: 10.5 is out of range", NULL},
  {SEDOV "time: {max_steps: -2}\n", "time.max_steps: -2 is out of range", NULL},
  {SEDOV "time: {integrator: rk5}\n", "rk5 is not known; allowed: euler, rk2, rk3, rk4, rk6, rk2avg", NULL},
  {SEDOV "time: {wall_limit: -1}\n", "time.wall_limit: -1 is out of range", NULL},
  {SEDOV "discretization: {kinematic_order: 0}\n", "discretization.kinematic_order: 0 is out of range; allowed: 1 to 8",
   NULL},
  {SEDOV "discretization: {kinematic_order: 9}\n", "9 is out of range; allowed: 1 to 8", NULL},
  {SEDOV "discretization: {thermodynamic_order: 9}\n", "9 is out of range; allowed: 0 to 8", NULL},
  {SEDOV "discretization: {thermodynamic_order: -1}\n", "-1 is out of range; allowed: 0 to 8", NULL},
  {SEDOV "discretization: {kinematic_order: 2, quadrature_order: 3}\n", "discretization.quadrature_order: ", NULL},
  {SEDOV "discretization: {quadrature_order: 65}\n", "65 is out of range; allowed: -1 to 64", NULL},
  {SEDOV "solvers: {velocity: {tolerance: 0}}\n",
   "solvers.velocity.tolerance: 0 is out of range; allowed: at least 1e-30, below 1", NULL},
  {SEDOV "solvers: {energy: {tolerance: 1}}\n", "solvers.energy.tolerance: 1 is out of range", NULL},
  {SEDOV "solvers: {velocity: {max_iterations: 0}}\n", "solvers.velocity.max_iterations: 0 is out of range", NULL},
  {SEDOV "solvers: {velocity: 1e-8}\n", "solvers.velocity: is a section", NULL},
  {"problem: {name: sedov, impose_viscosity: yes}\n", "yes is neither true nor false; allowed: true, false", NULL},
  {"problem: {name: sedov, impose_viscosity: 1}\n", "1 is neither true nor false", NULL},
  {"problem: {name: sedov, impose_viscosity: \"true\"}\n", "\"true\" is a string", NULL},
  {"problem: {name: sedov, blast_energy: -1}\n", "problem.blast_energy: -1 is out of range; allowed: above 0", NULL},
  {SEDOV "mesh: {partition: scotch}\n", "scotch is not known; allowed: auto, block, hilbert, rcb, metis", NULL},
  {SEDOV "output: {progress: dots}\n", "dots is not known; allowed: auto, bar, lines, none", NULL},
  {SEDOV "output: {keep: 0}\n", "output.keep: 0 is out of range", NULL},
  {SEDOV "output: {directory: \"\"}\n", "output.directory: is empty", NULL},
  {SEDOV "output: {directory: \"a\\nb\"}\n", "output.directory: a b is not plain UTF-8 text", NULL},
};

static const wrong_deck lists[] = {
  {SEDOV "mesh: {dim: 3, zones: 2}\n", "mesh.zones: is not a list; a list of integers is expected", NULL},
  {SEDOV "mesh: {dim: 3, zones: [2, 2]}\n", "mesh.zones: has 2 entries; allowed: 3, as mesh.dim is 3", NULL},
  {SEDOV "mesh: {dim: 1, zones: [2, 2]}\n", "mesh.zones: has 2 entries; allowed: 1", NULL},
  {SEDOV "mesh: {dim: 3, zones: [2, 2, 2, 2]}\n", "mesh.zones: has 4 entries", NULL},
  {SEDOV "mesh: {dim: 3, zones: []}\n", "mesh.zones: has 0 entries", NULL},
  {SEDOV "mesh: {dim: 2, zones: [2, 0]}\n", "mesh.zones: 0 is out of range; allowed: 1 to 16777216", NULL},
  {SEDOV "mesh: {dim: 2, zones: [2, 1.5]}\n", "mesh.zones: 1.5 is not an integer", NULL},
  {SEDOV "mesh: {dim: 2, zones: [2, \"2\"]}\n", "mesh.zones: \"2\" is a string", NULL},
  {SEDOV "mesh: {dim: 2, zones: [[2], 2]}\n", "mesh.zones: the entries of a list must be numbers", NULL},
  {SEDOV "mesh: {dim: 2, zones: [2, ]}\n", "mesh.zones: has 1 entry; allowed: 2", NULL},
  {SEDOV "mesh:\n  dim: 2\n  zones:\n  - 2\n  -\n", "mesh.zones: has no value", NULL},
  {SEDOV "mesh: {dim: 2, lower: [0, 0, 0]}\n", "mesh.lower: has 3 entries; allowed: 2", NULL},
  {SEDOV "mesh: {dim: 2, upper: [0, 1]}\n", "mesh.upper: along axis 0 mesh.upper is 0; allowed: above mesh.lower, 0",
   NULL},
  {SEDOV "mesh: {dim: 2, lower: [0, 2]}\n", "mesh.lower: along axis 1 mesh.upper is 1; allowed: above mesh.lower, 2",
   NULL},
  {SEDOV "mesh: {dim: 2, upper: [1, inf]}\n", "mesh.upper: inf is not a finite number", NULL},
  {SEDOV "mesh: {dim: 2}\noutput: {probes: [0.5, 0.5, 1]}\n",
   "t.yaml:3: output.probes: has 3 entries; allowed: a multiple of 2, as mesh.dim is 2", NULL},
  {SEDOV "mesh: {dim: 2}\noutput: {probes: [1]}\n", "output.probes: has 1 entry; allowed: a multiple of 2", NULL},
  {SEDOV "output: {probes: 1}\n", "output.probes: is not a list; a list of numbers is expected", NULL},
  {SEDOV "output: {probes: [0, 0, x]}\n", "output.probes: x is not a finite number", NULL},
  {SEDOV "output: {probes: [" TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN "]}\n",
   "output.probes: has 100 entries; allowed: at most 96", NULL},
  {SEDOV "mesh: {dim: 4}\n", "mesh.dim: 4 is out of range; allowed: 0 to 3", NULL},
  {SEDOV "mesh: {dim: 0}\n", "mesh.dim: 0 is only allowed with mesh.file", NULL},
  {"problem: {name: triple-point}\nmesh: {dim: 1}\n", "mesh.dim: triple-point does not exist in 1D; allowed: 2, 3",
   NULL},
  {SEDOV "mesh: {dim: 3, zones: [16777216, 2, 2], refine: 12}\n", "mesh.zones: makes", NULL},
  {SEDOV "mesh: {dim: 3, zones: [131072, 131072, 131072]}\n",
   "mesh.zones: makes 2.25e+15 zones; allowed: at most 1e+15", NULL},
};

static const wrong_deck combinations[] = {
  {SEDOV "mesh: {file: b.mesh}\n", "t.yaml:2: mesh.file: can't read /tmp/", NULL},
  {SEDOV "mesh: {file: .}\n", "Is a directory", NULL},
  {SEDOV "mesh: {file: a.mesh/x}\n", "Not a directory", NULL},
  {SEDOV "mesh: {file: a.mesh, zones: [2, 2, 2]}\n", "t.yaml:2: mesh.zones: can't be given together with mesh.file",
   NULL},
  {SEDOV "mesh: {file: a.mesh, lower: [0, 0]}\n", "mesh.lower: can't be given together with mesh.file", NULL},
  {SEDOV "mesh: {file: a.mesh, zones_per_rank: 8}\n", "mesh.zones_per_rank: can't be given together with mesh.file",
   NULL},
  {SEDOV "mesh: {zones_per_rank: -8}\n", "mesh.zones_per_rank: -8 is out of range", NULL},
  {SEDOV "mesh: {dim: 3, zones_per_rank: [8, 8]}\n",
   "t.yaml:2: mesh.zones_per_rank: has 2 entries; allowed: 3, as mesh.dim is 3", NULL},
  {SEDOV "mesh: {dim: 2, zones_per_rank: []}\n", "mesh.zones_per_rank: has 0 entries; allowed: 2", NULL},
  {SEDOV "mesh: {dim: 2, zones_per_rank: [8, 0]}\n",
   "mesh.zones_per_rank: has 0 zones along axis 1; allowed: at least 1", NULL},
  {SEDOV "mesh: {dim: 2, zones_per_rank: [8, -1]}\n",
   "mesh.zones_per_rank: -1 is out of range; allowed: 0 to 268435455", NULL},
  {SEDOV "mesh: {dim: 2, zones_per_rank: [16384, 16384]}\n",
   "mesh.zones_per_rank: makes 268435456 zones; allowed: at most 268435455", NULL},
  {SEDOV "mesh: {dim: 2, zones_per_rank: [8, eight]}\n", "mesh.zones_per_rank: eight is not an integer", NULL},
  {SEDOV "mesh: {dim: 2, zones_per_rank: [8, 8], refine: 1}\n",
   "mesh.refine: can't be given together with mesh.zones_per_rank", NULL},
  {SEDOV "mesh: {file: a.mesh, zones_per_rank: [8, 8]}\n",
   "mesh.zones_per_rank: can't be given together with mesh.file", NULL},
  {SEDOV "mesh: {zones_per_rank: 8, refine: 1}\n", "mesh.refine: can't be given together with mesh.zones_per_rank",
   NULL},
  {SEDOV "kernels: {backend: gpu}\n", "kernels.backend: gpu is not known; allowed: auto, host, cuda", NULL},
  {SEDOV "kernels: {corner_force: fast}\n",
   "t.yaml:2: kernels.corner_force: fast is no variant of it; allowed: auto, host.sumfact, host.ref, cuda.fused, "
   "cuda.ref",
   NULL},
  {SEDOV "kernels: {corner_force: host.half}\n", "kernels.corner_force: host.half is no variant of it", NULL},
  {SEDOV "kernels: {gemm: cuda.x}\n",
   "kernels.gemm: cuda.x is no variant of it; allowed: auto, host.small, vendor.cblas, "
   "host.ref",
   NULL},
  {SEDOV "kernels: {backend: host, corner_force: cuda.fused}\n",
   "cuda.fused runs on cuda, but kernels.backend is host; allowed: auto, host.sumfact, host.ref", NULL},
  {SEDOV "kernels: {backend: cuda, corner_force: host.ref}\n",
   "host.ref runs on the host, but kernels.backend is cuda; allowed: auto, cuda.fused, cuda.ref", NULL},
  {SEDOV "kernels: {corner_force: cuda.fused, gemm: host.ref}\n",
   "kernels.gemm: host.ref runs on host, but what kernels.corner_force asks for does not", NULL},
  {SEDOV "kernels: {corner_force: }\n", "kernels.corner_force: has no value", NULL},
};

static const wrong_deck command_line[] = {
  {SEDOV, "command line: mesh.refine=x: x is not an integer; allowed: 0 to 12", "mesh.refine=x"},
  {SEDOV, "command line: mesh.refine=: has no value", "mesh.refine="},
  {SEDOV, "command line: mesh.refien=1: no such key; did you mean mesh.refine?", "mesh.refien=1"},
  {SEDOV, "command line: refine=1: no such key; did you mean mesh.refine?", "refine=1"},
  {SEDOV, "command line: refin=1: no such key; did you mean mesh.refine?", "refin=1"},
  {SEDOV, "command line: MESH.REFINE=1: no such key; did you mean mesh.refine?", "MESH.REFINE=1"},
  {SEDOV, "did you mean discretization.kinematic_order?", "kinematic-order=1"},
  {SEDOV, "command line: =1: no such key; --keys lists all of them", "=1"},
  {SEDOV, "command line: x.=1: no such key; --keys lists all of them", "x.=1"},
  {SEDOV, "command line: mesh=1: mesh is a section; mesh.<key>=value is expected", "mesh=1"},
  {SEDOV, "command line: =1: no such key", "=1"},
  {SEDOV, "section.key=value is expected", "mesh.refine"},
  {SEDOV, "command line: mesh.zones=2,2: has 2 entries; allowed: 3", "mesh.zones=2,2"},
  {SEDOV, "2 2 is not an integer", "mesh.zones=2 2 2"},
  {SEDOV, "has no value", "mesh.zones=2,,2"},
  {SEDOV, "the list has no ] at its end", "mesh.zones=[2,2,2"},
  {SEDOV, "has 5 entries", "mesh.zones=1,2,3,4,5"},
  {SEDOV, "nan is not a finite number", "time.final=nan"},
  {SEDOV, "nah is not known", "problem.name=nah"},
  {SEDOV, "True is neither true nor false", "problem.impose_viscosity=True"},
  {SEDOV "mesh: {file: a.mesh}\n", "command line: mesh.zones=2,2: can't be given together with mesh.file",
   "mesh.zones=2,2"},
  {SEDOV "mesh: {zones_per_rank: 8}\n", "mesh.refine=1: can't be given together", "mesh.refine=1"},
  {SEDOV "mesh: {dim: 2, zones_per_rank: 8}\n", "mesh.zones=3,3: can't be given together with mesh.zones_per_rank",
   "mesh.zones=3,3"},
  {SEDOV, "command line: mesh.zones_per_rank=8,8: has 2 entries; allowed: 3", "mesh.zones_per_rank=8,8"},
  {SEDOV, "command line: mesh.zones_per_rank=8 8 8: 8 8 8 is not an integer", "mesh.zones_per_rank=8 8 8"},
  {SEDOV "mesh: {dim: 1}\n", "t.yaml:2: mesh.dim: triple-point does not exist in 1D", "problem.name=triple-point"},
  {SEDOV, "is not plain UTF-8 text", "output.directory=\xff"},
  {SEDOV, "host.nope is no variant of it", "kernels.gemm=host.nope"},
};

static void refuse(const wrong_deck *w, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    deck d;
    char message[2048];
    char *overrides[2] = {(char *)w[i].override, NULL};
    int status = parse(&d, w[i].text, overrides, message);
    if (status != 2) fail_msg("row %zu: status %d: %s", i, status, w[i].text);
    if (!strstr(message, w[i].expected)) fail_msg("row %zu: said \"%s\", not \"%s\"", i, message, w[i].expected);
    if (strchr(message, '\n')) fail_msg("row %zu: several lines: %s", i, message);
  }
}

#define REFUSE(table) \
  static void wrong_##table(void **state) \
  { \
    (void)state; \
    refuse(table, sizeof table / sizeof *table); \
  }
REFUSE(syntax)
REFUSE(names)
REFUSE(values)
REFUSE(lists)
REFUSE(combinations)
REFUSE(command_line)

static void a_key_twice_on_the_command_line(void **state)
{
  (void)state;
  deck d;
  char message[2048];
  char *overrides[] = {"mesh.refine=1", "mesh.refine=2", NULL};
  assert_int_equal(parse(&d, SEDOV, overrides, message), 2);
  assert_string_equal(message, "command line: mesh.refine=2: mesh.refine is given twice");
}

/* A message that does not fit is cut, not written beyond. */
static void short_messages(void **state)
{
  (void)state;
  deck d;
  char message[2048];
  const char text[] = SEDOV "mesh: {refine: x}\n";
  memset(message, '#', sizeof message);
  assert_int_equal(deck_parse(&d, "t.yaml", text, strlen(text), 0, NULL, message, 10), 2);
  assert_string_equal(message, "t.yaml:2:");
  assert_int_equal(message[10], '#');
}

static void long_words(void **state)
{
  (void)state;
  char *text = malloc(400000), message[2048];
  deck d;
  assert_non_null(text);
  for (int form = 0; form < 3; form++) {
    static const char *const heads[] = {SEDOV "mesh: {file: ", SEDOV "output: {directory: \"", "problem: {"};
    static const char *const tails[] = {"}\n", "\"}\n", "\n"};
    size_t n = strlen(heads[form]);
    memcpy(text, heads[form], n);
    memset(text + n, form == 2 ? '{' : 'x', 300000);
    strcpy(text + n + 300000, tails[form]);
    assert_int_equal(parse(&d, text, NULL, message), 2);
    assert_true(strlen(message) < 500);
  }
  free(text);
}

/* Whatever is cut from a deck, the reader ends with a deck or one sentence. */
static void truncated_decks(void **state)
{
  (void)state;
  static const char text[] = "# c\nproblem: {name: \"sedov\", blast_energy: 2}\nmesh:\n  dim: 2\n  zones: [2, 3]\n"
                             "  lower:\n  - 0.5\n  - -1e-3\ntime: {final: 0.6, integrator: 'rk2avg'}\n";
  for (size_t n = 0; n <= strlen(text); n++) {
    deck d;
    char message[2048] = "";
    char *copy = malloc(n + 1); /* so that a read beyond the end is seen */
    assert_non_null(copy);
    memcpy(copy, text, n);
    int status = deck_parse(&d, "t.yaml", copy, n, 0, NULL, message, sizeof message);
    assert_true(status == 0 || (status == 2 && *message && !strchr(message, '\n')));
    free(copy);
  }
}

static void unreadable_files(void **state)
{
  (void)state;
  deck d;
  char message[2048], path[128];
  assert_int_equal(deck_read(&d, "/nowhere/deck.yaml", 0, NULL, message, sizeof message), 2);
  assert_string_equal(message, "/nowhere/deck.yaml: can't read the deck: No such file or directory");
  assert_int_equal(deck_read(&d, folder, 0, NULL, message, sizeof message), 2);
  assert_non_null(strstr(message, "Is a directory"));
  assert_int_equal(deck_read(&d, "/dev/null", 0, NULL, message, sizeof message), 2);
  assert_non_null(strstr(message, "the deck is empty"));
  assert_int_equal(deck_read(&d, "/dev/zero", 0, NULL, message, sizeof message), 2);
  assert_non_null(strstr(message, "is larger than 1 MiB"));
  snprintf(path, sizeof path, "%s/big.yaml", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 100000; i++) fputs("# more and more\n", file);
  fclose(file);
  assert_int_equal(deck_read(&d, path, 0, NULL, message, sizeof message), 2);
  assert_non_null(strstr(message, "is larger than 1 MiB"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_syntax),
    cmocka_unit_test(wrong_names),
    cmocka_unit_test(wrong_values),
    cmocka_unit_test(wrong_lists),
    cmocka_unit_test(wrong_combinations),
    cmocka_unit_test(wrong_command_line),
    cmocka_unit_test(a_key_twice_on_the_command_line),
    cmocka_unit_test(short_messages),
    cmocka_unit_test(long_words),
    cmocka_unit_test(truncated_decks),
    cmocka_unit_test(unreadable_files),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
