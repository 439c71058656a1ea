/* SPDX-License-Identifier: BSD-3-Clause
 *
 * damage_checkpoint TRIALS [FIRST]: checkpoints that are damaged and then sealed again, so that nothing but their
 * reader stands between them and a run.  Each is read, and goes on for a step, in a process of its own, for at most ten
 * seconds: it may be refused, or taken with wrong numbers, but nothing may crash.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/checkpoint/checkpoint.h"
#include "app/checkpoint/resume.h"
#include "app/files/checksum.h"

enum { REFUSED = 10, TAKEN = 11, SEAL = 24, LARGEST = 1 << 20 };

static const char text[] = "problem: {name: sedov}\nmesh: {dim: 2, zones: [2, 2]}\nkernels: {backend: host}\n";

/* HDF5 asks for as much memory as a damaged file says, and takes no for an answer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
  return "allocator_may_return_null=1";
}

/* What a restart does with the file. */
static int try_file(hydro *h, const char *path)
{
  static deck then;
  char message[2 * CHECKPOINT_PATH];
  alarm(10);
  checkpoint_origin origin;
  if (!checkpoint_verify(path, &origin, message, sizeof message)) return REFUSED;
  if (deck_parse(&then, path, origin.deck, strlen(origin.deck), 0, NULL, message, sizeof message)) return REFUSED;
  checkpoint_origin_destroy(&origin);
  if (checkpoint_read(h, path, message, sizeof message)) return REFUSED;
  if (hydro_resume(h, &then, message, sizeof message)) return REFUSED;
  hydro_step(h);
  return TAKEN;
}

static void damage(unsigned char *bytes, size_t size)
{
  for (int times = 1 + rand() % 8; times > 0; times--) {
    // half of the damage goes where HDF5 keeps its own: at the front
    const size_t at = (size_t)rand() % (rand() % 2 ? size : size / 8 + 1);
    if (rand() % 3)
      bytes[at] = (unsigned char)rand();
    else
      bytes[at] = rand() % 2 ? 0xff : 0;
  }
}

static bool write_file(const char *path, const unsigned char *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  const bool written = file && fwrite(bytes, 1, size, file) == size;
  return file && fclose(file) == 0 && written;
}

/* A checkpoint of a run of one step, in bytes. */
static hydro *make(deck *d, const char *folder, unsigned char *bytes, size_t *size)
{
  char message[2 * CHECKPOINT_PATH] = "", path[CHECKPOINT_PATH];
  hydro *h = NULL;
  const output_run origin = {.deck = text, .version = "1", .git = "2"};
  checkpoint_shelf shelf = {0};
  FILE *file = NULL;
  if (!deck_parse(d, "test", text, sizeof text - 1, 0, NULL, message, sizeof message) &&
      !hydro_create(&h, d, message, sizeof message) && !hydro_start(h, message, sizeof message)) {
    snprintf(d->output.directory, sizeof d->output.directory, "%s", folder);
    hydro_step(h);
    if (!checkpoint_write(h, &origin, &shelf, path, message, sizeof message)) file = fopen(path, "rb");
  }
  *size = file ? fread(bytes, 1, LARGEST, file) : 0;
  if (file) fclose(file);
  checkpoint_shelf_destroy(&shelf);
  if (*size == 0) fprintf(stderr, "%s\n", message);
  unlink(path);
  return h;
}

int main(int argc, char **argv)
{
  const int trials = argc > 1 ? atoi(argv[1]) : 100, first = argc > 2 ? atoi(argv[2]) : 0;
  static unsigned char whole[LARGEST], damaged[LARGEST];
  static deck d;
  char folder[] = "/tmp/damage.XXXXXX", path[64];
  size_t size;
  int refused = 0, taken = 0, crashed = 0;
  comm_init(&argc, &argv);
  if (!mkdtemp(folder)) return 1;
  snprintf(path, sizeof path, "%s/damaged.h5", folder);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  hydro *h = make(&d, folder, whole, &size);
  for (int trial = first; trial < first + trials && size > SEAL; trial++) {
    int status = 0;
    srand((unsigned)trial);
    memcpy(damaged, whole, size);
    damage(damaged, size - SEAL);
    if (!write_file(path, damaged, size - SEAL) || checksum_seal(path)) break;
    const pid_t child = fork();
    if (child == 0) {
      signal(SIGSEGV, SIG_DFL); // MPI's handlers print
      _exit(try_file(h, path));
    }
    waitpid(child, &status, 0);
    const int result = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (result != REFUSED && result != TAKEN) printf("trial %d: status %d\n", trial, result);
    refused += result == REFUSED, taken += result == TAKEN, crashed += result != REFUSED && result != TAKEN;
  }
  printf("%d damaged checkpoints: %d refused, %d taken, %d crashes\n", trials, refused, taken, crashed);
  unlink(path);
  rmdir(folder);
  hydro_destroy(&h);
  comm_finalize();
  return crashed || refused + taken != trials;
}
