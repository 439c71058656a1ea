/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a run where the k-th malloc of one rank finds no memory, for every k: all ranks give up with the same
 * sentence, and none waits for another.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <unistd.h>

#include "app/checkpoint/checkpoint.h"
#include "app/files/hdf.h"
#include "app/run_files.h"
#include "tests/app/failing_malloc.h"
#include "tests/app/runs.h"

enum { MESSAGE = 1024 };

static deck the_deck;
static char folder[64] = "/tmp/shocklet-files-XXXXXX";

/* The files in the folder. */
static void discard_files(void)
{
  char path[512];
  DIR *opened = opendir(folder);
  for (struct dirent *entry; opened && (entry = readdir(opened));) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);
  }
  if (opened) closedir(opened);
}

/* All that a run may write, and a state that is read back. */
static int write_all(hydro *h, char *message)
{
  run_files f = {0};
  int status = run_files_claim(&f, h->deck, NULL, message, MESSAGE);
  if (!status) status = run_files_open(&f, h, message, MESSAGE);
  if (!status) status = run_files_write_fields(&f, h, message, MESSAGE);
  if (!status) status = run_files_add(&f, h, message, MESSAGE);
  if (!status) status = run_files_save(&f, h, message, MESSAGE);
  if (!status) status = checkpoint_read(h, f.saved, message, MESSAGE);
  status = run_files_finish(&f, h, status, message, MESSAGE);
  run_files_destroy(&f, !status);
  return status;
}

static void each_allocation(void **state)
{
  (void)state;
  char text[512];
  snprintf(text, sizeof text,
           "problem: {name: sedov}\nmesh: {dim: 2, zones: [3, 3]}\nkernels: {backend: host}\noutput: {directory: %s, "
           "fields_every: 1, probes: [0.1, 0.1, 2, 2]}\n",
           folder);
  hydro *h = run_create(&the_deck, text);
  run_start(h);
  bool failed = true;
  int k = 0, unnoticed = 0;
  for (; failed; k++) {
    char message[MESSAGE] = "";
    failing_malloc_begin(k);
    const int status = write_all(h, message);
    failed = failing_malloc_end();
    comm_barrier();
    if (comm_rank() == 0) discard_files();
    failing_malloc_check(k, status, failed, message, sizeof message);
    unnoticed += failed && !status;
  }
  if (comm_rank() == 0) printf("%d allocations\n", k - 1);
  assert_true(k > 20);
  // old checkpoints stay where they can't be listed or kept in mind, a try is not known again, a profile does without
  // the table of the exact blast; else a second try
  if (!hdf_shares()) assert_true(unnoticed <= 4);
  hydro_destroy(&h);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_allocation),
  };
  comm_init(&argc, &argv);
  if (comm_rank() == 0 && !mkdtemp(folder)) comm_abort(1);
  comm_broadcast(folder, sizeof folder, 0);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  comm_barrier();
  if (comm_rank() == 0) rmdir(folder);
  comm_finalize();
  return failed;
}
