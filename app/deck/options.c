/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line: options, one deck, and keys that override the deck's.
 */
#include "app/deck/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "app/deck/deck_schema.h" /* deck_clip */

enum { CHECK = 256, KEYS, VARIANTS, QUIET, VERSION, HELP, REPORT, RESTART };

static const struct option declared[] = {
  {"check", no_argument, NULL, CHECK},
  {"keys", no_argument, NULL, KEYS},
  {"variants", no_argument, NULL, VARIANTS},
  {"quiet", no_argument, NULL, QUIET},
  {"version", no_argument, NULL, VERSION},
  {"help", no_argument, NULL, HELP},
  {"report", required_argument, NULL, REPORT},
  {"restart", required_argument, NULL, RESTART},
  {NULL, 0, NULL, 0},
};

typedef struct words {
  char *text;
  size_t size;
} words;

static int fail(words m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(words m, const char *format, ...)
{
  char sentence[256];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  snprintf(m.text, m.size, "command line: %s; see --help", sentence);
  return STATUS_INPUT;
}

static int ask_for_file(int option, words m)
{
  return fail(m, option == RESTART ? "--restart needs a file, or latest" : "--report needs a file");
}

/* The word at which getopt_long stopped. */
static int complain(char **argv, int c, words m)
{
  const char *word = argv[optind > 1 ? optind - 1 : 1];
  if (c == ':') return ask_for_file(optopt, m);
  for (int i = 0; declared[i].name; i++)
    if (optopt == declared[i].val && optopt) return fail(m, "%s takes no value", deck_clip(word).text);
  if (optopt) return fail(m, "-%s is no option", deck_clip((char[2]){(char)optopt, '\0'}).text);
  return fail(m, "%s is no option", deck_clip(word).text);
}

static int take(options *o, int c, words m)
{
  switch (c) {
  case CHECK: o->check = true; break;
  case KEYS: o->keys = true; break;
  case VARIANTS: o->variants = true; break;
  case QUIET: o->quiet = true; break;
  case VERSION: o->version = true; break;
  case 'h':
  case HELP: o->help = true; break;
  case REPORT:
    if (o->report) return fail(m, "--report is given twice");
    if (!*optarg) return ask_for_file(c, m);
    o->report = optarg;
    break;
  case RESTART:
    if (o->restart) return fail(m, "--restart is given twice");
    if (!*optarg) return ask_for_file(c, m);
    o->restart = optarg;
    break;
  }
  return 0;
}

/* "section.key=value"; a path with a "=" in its name can be told apart by a "/": ./a=b.yaml */
static bool is_override(const char *word)
{
  size_t n = strcspn(word, "=/");
  return word[n] == '=';
}

/* The deck is taken out of the words, and the overrides move together. */
static int sort_words(options *o, int n, char **word, words m)
{
  o->overrides = word;
  for (int i = 0; i < n; i++) {
    if (is_override(word[i])) {
      char *moved = word[i];
      word[i] = word[o->noverrides];
      word[o->noverrides++] = moved;
      continue;
    }
    if (!*word[i]) return fail(m, "the name of the deck is empty");
    if (o->deck)
      return fail(m, "two decks, %s and %s, where one is expected", deck_clip(o->deck).text, deck_clip(word[i]).text);
    o->deck = word[i];
  }
  bool needed = !(o->restart || o->keys || o->variants || o->version || o->help);
  if (!o->deck && needed) return fail(m, "no deck is given");
  return 0;
}

int options_parse(options *o, int argc, char **argv, char *message, size_t size)
{
  const words m = {message, size};
  *o = (options){0};
  opterr = 0;
  optind = 0; /* getopt starts again */
  for (int c; (c = getopt_long(argc, argv, ":h", declared, NULL)) != -1;) {
    int wrong = c == '?' || c == ':' ? complain(argv, c, m) : take(o, c, m);
    if (wrong) return wrong;
  }
  return sort_words(o, argc - optind, argv + optind, m);
}

void options_print_help(FILE *to)
{
  fputs(
    "shocklet [options] DECK [section.key=value ...]\n"
    "\n"
    "DECK is a file, or the name of a problem: shocklet sedov\n"
    "\n"
    "  --check         read and check the deck, print it resolved, run nothing\n"
    "  --keys          every key of a deck: type, default, allowed values, one line of help\n"
    "  --variants      which variants of which operations exist, and which auto takes\n"
    "  --restart FILE  go on from a checkpoint; latest: from the newest of output.directory; the deck may be left out\n"
    "  --report FILE   write the machine-readable report there (JSON)\n"
    "  --quiet         print only what went wrong\n"
    "  --version       print the version\n"
    "  --help          print this\n"
    "\n"
    "On several ranks: mpirun -np 8 shocklet inputs/sedov-3d.yaml mesh.refine=3\n"
    "SIGUSR1 to mpirun, SIGTERM, Ctrl-C, or a file `stop` in output.directory: write a checkpoint and stop.\n"
    "Exit status: 0 done or stopped on request, 1 the run failed, 2 the command line or the deck is wrong, 3 the "
    "machine can't\n",
    to);
}
