/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program: command line, deck, run.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "app/checkpoint/restart.h"
#include "app/deck/options.h"
#include "app/deck/variants.h"
#include "app/machine/collective_status.h"
#include "app/machine/memory.h"
#include "app/machine/stop.h"
#include "app/run.h"
#include "app/version.h"
#include "batched/host/vendor_library.h"
#include "mesh/comm/comm.h"

static void print_variants(void)
{
  batched_ctx *host, *cuda;
  batched_create(&host, BATCHED_HOST);
  batched_create(&cuda, BATCHED_CUDA);
  variants_print(stdout, host, cuda);
  batched_destroy(&host);
  batched_destroy(&cuda);
}

/* Handles the options that need no deck. */
static bool print_and_end(const options *o)
{
  if (!o->help && !o->version && !o->keys && !o->variants) return false;
  signal(SIGPIPE, SIG_DFL); // who reads a list may have seen enough
  if (comm_rank() > 0) return true;
  if (o->help)
    options_print_help(stdout);
  else if (o->version)
    printf("shocklet %s (%s)\n", app_version, app_git);
  else if (o->keys)
    deck_print_keys(stdout);
  else
    print_variants();
  return true;
}

/* One rank reads the deck, and finds the checkpoint, of a step before `below` if it is the latest; all have them. */
static int read_deck(deck *d, restart *from, const options *o, int64_t below)
{
  char message[RUN_MESSAGE] = "";
  int status = 0;
  if (comm_rank() == 0)
    status = o->restart ? restart_read(from, d, o, below, o->quiet ? NULL : stdout, message, sizeof message)
                        : deck_read(d, o->deck, o->noverrides, o->overrides, message, sizeof message);
  comm_broadcast(&status, sizeof status, 0);
  if (status) return run_refuse(status, message);
  if (comm_rank() == 0 && message[0]) fprintf(stderr, "shocklet: warning: %s\n", message);
  deck_broadcast(d);
  restart_broadcast(from);
  return 0;
}

/* The kernels of hosts have half a megabyte of scratch memory on the stack, and libraries want some, too. */
static int make_room(void)
{
  enum { NEEDED = 1 << 20, WANTED = 8 << 20 };
  char message[RUN_MESSAGE] = "";
  const double room = memory_raise_stack(WANTED);
  const int status = room < NEEDED ? STATUS_MACHINE : STATUS_OK;
  if (status)
    snprintf(message, sizeof message, "the stack may have %.0f kB (ulimit -s), and 1024 are needed", room / 1024);
  return collective_status(status, message, sizeof message) ? run_refuse(STATUS_MACHINE, message) : STATUS_OK;
}

/* Falls back to the previous checkpoint if the latest is unusable. */
static int run(const options *o)
{
  static deck d; /* some 20 kB */
  static restart from;
  int status = make_room();
  bool unusable = !status;
  for (int64_t below = INT64_MAX; unusable; below = from.step) {
    unusable = false;
    status = read_deck(&d, &from, o, below);
    if (status || o->check) break;
    status = run_deck(&d, &(run_settings){.quiet = o->quiet,
                                          .report = o->report,
                                          .from = o->restart ? &from : NULL,
                                          .unusable = o->restart && from.latest ? &unusable : NULL});
  }
  if (!status && o->check && comm_rank() == 0) deck_print(&d, stdout);
  return status;
}

static int shocklet(int argc, char **argv)
{
  options o;
  char message[RUN_MESSAGE] = "";
  int status = options_parse(&o, argc, argv, message, sizeof message);
  if (status) return run_refuse(status, message);
  return print_and_end(&o) ? 0 : run(&o);
}

/* Nobody reads the pipe any more, as behind `| head`. */
static bool has_no_reader(FILE *file)
{
  struct pollfd output = {.fd = fileno(file)};
  return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

/* Checks that standard output was written, as it is not on a full disk. */
static int end_output(void)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  if (!has_no_reader(stdout)) return run_refuse(STATUS_MACHINE, "the standard output can't be written to");
  return run_refuse(STATUS_OK, "warning: nobody read the standard output to its end; the run itself did not need that");
}

/* The first files to be opened would be taken for the standard streams, where those are closed. */
static void open_streams(void)
{
  int descriptor;
  do descriptor = open("/dev/null", O_RDWR);
  while (descriptor >= 0 && descriptor <= STDERR_FILENO);
  if (descriptor > STDERR_FILENO) close(descriptor);
}

int main(int argc, char **argv)
{
  open_streams();
  signal(SIGXFSZ, SIG_IGN); // a write beyond the limit on the size of files fails with a sentence instead
  signal(SIGPIPE, SIG_IGN); // a run does not end because nobody reads what it prints
  stop_listen();
  comm_init(&argc, &argv);
  batched_vendor_use_one_thread(); // a rank has a core, and threads of a BLAS spin
  int status = shocklet(argc, argv);
  const int printed = end_output();
  if (!status) status = printed;
  comm_finalize();
  return status;
}
