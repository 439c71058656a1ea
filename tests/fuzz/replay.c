/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay FOLDER MUTATIONS: a fuzz target without libFuzzer.  Gives it every file of the folder, then so many changed
 * ones: bytes flipped, cut, doubled, put in from other files.  Ends by SIGALRM if one takes longer than a second.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_FILES = 256, LONGEST = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
  uint8_t *data; // owned
  size_t size;
} input;

static uint64_t state = 1;

/* Knuth's MMIX constants: below n, the same on every machine. */
static size_t below(size_t n)
{
  state = state * 6364136223846793005u + 1442695040888963407u;
  return n ? (size_t)(state >> 33) % n : 0;
}

static void run(const input *in)
{
  uint8_t *exact = malloc(in->size + (in->size == 0)); // so that a sanitizer sees the end
  memcpy(exact, in->data, in->size);
  alarm(2);
  LLVMFuzzerTestOneInput(exact, in->size);
  alarm(0);
  free(exact);
}

static int read_folder(const char *path, input *files)
{
  int n = 0;
  char name[4096];
  DIR *folder = opendir(path);
  if (!folder) return 0;
  for (struct dirent *entry; n < MAX_FILES && (entry = readdir(folder));) {
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    FILE *file = entry->d_name[0] == '.' ? NULL : fopen(name, "rb");
    if (!file) continue;
    files[n].data = malloc(LONGEST);
    files[n].size = fread(files[n].data, 1, LONGEST / 2, file);
    n++;
    fclose(file);
  }
  closedir(folder);
  return n;
}

/* Puts n bytes of `from` at `at` into m. */
static void insert(input *m, size_t at, const uint8_t *from, size_t n)
{
  if (m->size + n > LONGEST) return;
  memmove(m->data + at + n, m->data + at, m->size - at);
  memcpy(m->data + at, from, n);
  m->size += n;
}

static void mutate(input *m, const input *other)
{
  static const char *const words[] = {"-1", "0", "99999999999", "nan",  "1e999",           "\n",
                                      " ",  "{", "]",           "$End", "\xff\xff\xff\x7f"};
  uint8_t piece[64];
  const size_t at = below(m->size + 1), n = below(sizeof piece), left = m->size - at;
  switch (below(6)) {
  case 0:
    if (left) m->data[at] ^= (uint8_t)(1u << below(8));
    break;
  case 1:
    if (left) m->data[at] = (uint8_t)below(256);
    break;
  case 2: // take some away
    if (left > n) memmove(m->data + at, m->data + at + n, left - n), m->size -= n;
    break;
  case 3: { // a word
    const char *word = words[below(sizeof words / sizeof *words)];
    insert(m, at, (const uint8_t *)word, strlen(word));
    break;
  }
  case 4: // a piece of another file, or of itself
    if (other->size > n) {
      memcpy(piece, other->data + below(other->size - n), n);
      insert(m, at, piece, n);
    }
    break;
  default: m->size = at;
  }
}

int main(int argc, char **argv)
{
  static input files[MAX_FILES];
  const int n = argc == 3 ? read_folder(argv[1], files) : 0;
  const long mutations = argc == 3 ? atol(argv[2]) : 0;
  if (n == 0) {
    fprintf(stderr, "usage: %s FOLDER MUTATIONS; the folder holds at least one file\n", argv[0]);
    return 2;
  }
  for (int i = 0; i < n; i++) run(&files[i]);
  input m = {.data = malloc(LONGEST)};
  for (long i = 0; i < mutations; i++) {
    const input *from = &files[below((size_t)n)];
    memcpy(m.data, from->data, m.size = from->size);
    for (size_t times = 1 + below(4); times > 0; times--) mutate(&m, &files[below((size_t)n)]);
    run(&m);
  }
  printf("%d files, %ld changed ones\n", n, mutations);
  for (int i = 0; i < n; i++) free(files[i].data);
  free(m.data);
  return 0;
}
