/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who shares what is found by a rendezvous: every rank tells the home of each id (id modulo the number of ranks) that it has it,
 * and the home tells all who named the same id about each other.  Sums go by one message per neighbour and direction.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "halo.h"
#include "halo_device.h"

enum { HALO_TAG = 72, PROBE_TAG = 73, FIRST_NCOMP = 3 };

struct halo {
  int n, nshared, nneighbours, rank;
  int *shared;           /* owned, [nshared]: nodes, ascending */
  int *neighbours;       /* owned, [nneighbours]: ranks, ascending */
  int *first;            /* owned, [nneighbours + 1]: offsets into slots */
  int *slots;            /* owned, [first[nneighbours]]: places in shared, by neighbour and then by id */
  int ncomp_room;        /* components that the buffers hold */
  double *out, *in;      /* owned, [first[nneighbours]][ncomp]: what is sent and what came, as in slots */
  double *sum;           /* owned, [nshared][ncomp] */
  MPI_Request *requests; /* owned, [2 * nneighbours] */
  halo_device *device;   /* owned; NULL: not placed */
  bool direct;           /* MPI takes the device's memory */
};

/* "the node with this id, place `at` among those that this rank has, is also on rank `other`" */
typedef struct sharing {
  int64_t id;
  int64_t at;
  int64_t other;
} sharing;

/* Items of `width` int64 for each rank, one after the other. */
typedef struct mail {
  int width;
  int *count, *first; /* owned, [nranks] and [nranks + 1]: in items */
  int64_t *items;     /* owned, [first[nranks]][width] */
} mail;

static void mail_free(mail *m)
{
  free(m->count);
  free(m->first);
  free(m->items);
  *m = (mail){0};
}

static bool mail_count(mail *m, int width)
{
  size_t nranks = (size_t)comm_size();
  *m = (mail){.width = width};
  m->count = calloc(nranks, sizeof *m->count);
  m->first = calloc(nranks + 1, sizeof *m->first);
  return m->count && m->first;
}

/* After the counts are known. */
static bool mail_make_room(mail *m)
{
  int64_t total = 0;
  for (int r = 0; r < comm_size(); r++) {
    m->first[r] = (int)total;
    total += m->count[r];
    if (total > INT32_MAX / m->width) return false;
  }
  m->first[comm_size()] = (int)total;
  m->items = malloc(((size_t)total * (size_t)m->width + 1) * sizeof *m->items);
  return m->items != NULL;
}

static int mail_total(const mail *m)
{
  return m->first[comm_size()];
}

/* Sends every rank its items.  Collective, also where memory is out. */
static int mail_exchange(const mail *out, mail *in)
{
  int status = mail_count(in, out->width) ? 0 : 3;
  if (comm_worst(status)) return 3;
  MPI_Alltoall(out->count, 1, MPI_INT, in->count, 1, MPI_INT, MPI_COMM_WORLD);
  status = mail_make_room(in) ? 0 : 3;
  if (comm_worst(status)) return 3;
  MPI_Datatype item;
  MPI_Type_contiguous(out->width, MPI_INT64_T, &item);
  MPI_Type_commit(&item);
  MPI_Alltoallv(out->items, out->count, out->first, item, in->items, in->count, in->first, item, MPI_COMM_WORLD);
  MPI_Type_free(&item);
  return 0;
}

/* My ids to their homes, each with its place on this rank. */
static int tell_homes(int n, const int64_t *id, mail *out)
{
  int nranks = comm_size();
  bool ok = mail_count(out, 2);
  for (int i = 0; ok && i < n; i++) out->count[id[i] % nranks]++;
  ok = ok && mail_make_room(out);
  if (!ok) return 3;
  for (int i = 0; i < n; i++) {
    int64_t *item = out->items + 2 * (int64_t)out->first[id[i] % nranks]++;
    item[0] = id[i], item[1] = i;
  }
  for (int r = nranks; r > 0; r--) out->first[r] = out->first[r - 1]; // undo the counting up
  out->first[0] = 0;
  return 0;
}

static int compare_sharings(const void *a, const void *b)
{
  const sharing *x = a, *y = b;
  if (x->id != y->id) return x->id < y->id ? -1 : 1;
  return (x->other > y->other) - (x->other < y->other);
}

/* What a home heard, sorted by id and then rank. */
static sharing *sort_heard(const mail *in)
{
  sharing *s = malloc(((size_t)mail_total(in) + 1) * sizeof *s);
  if (!s) return NULL;
  for (int r = 0; r < comm_size(); r++) {
    for (int i = in->first[r]; i < in->first[r + 1]; i++)
      s[i] = (sharing){.id = in->items[2 * (int64_t)i], .at = in->items[2 * (int64_t)i + 1], .other = r};
  }
  qsort(s, (size_t)mail_total(in), sizeof *s, compare_sharings);
  return s;
}

/* Calls, for every id that several ranks named, once per pair of them: counts, or writes the answers {id, place, other}. */
static void answer(const sharing *s, int n, mail *out, bool count_only)
{
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && s[end].id == s[i].id;) end++;
    for (int a = i; a < end; a++) {
      for (int b = i; b < end; b++) {
        if (a == b) continue;
        if (count_only) {
          out->count[s[a].other]++;
          continue;
        }
        int64_t *item = out->items + 3 * (int64_t)out->first[s[a].other]++;
        item[0] = s[a].id, item[1] = s[a].at, item[2] = s[b].other;
      }
    }
  }
}

static int answer_all(const mail *in, mail *out)
{
  sharing *heard = sort_heard(in);
  bool ok = heard && mail_count(out, 3);
  if (ok) answer(heard, mail_total(in), out, true);
  ok = ok && mail_make_room(out);
  if (ok) {
    answer(heard, mail_total(in), out, false);
    for (int r = comm_size(); r > 0; r--) out->first[r] = out->first[r - 1];
    out->first[0] = 0;
  }
  free(heard);
  return ok ? 0 : 3;
}

/* By neighbour, then by id: the order of the messages, the same on both sides. */
static int compare_by_neighbour(const void *a, const void *b)
{
  const sharing *x = a, *y = b;
  if (x->other != y->other) return x->other < y->other ? -1 : 1;
  return (x->id > y->id) - (x->id < y->id);
}

/* All sharings of this rank's nodes, sorted by neighbour and id.  Collective. */
static int find_sharings(int n, const int64_t *id, sharing **sharings, int *count)
{
  mail asked = {0}, heard = {0}, answers = {0}, told = {0};
  int status = comm_worst(tell_homes(n, id, &asked));
  if (!status) status = mail_exchange(&asked, &heard);
  mail_free(&asked);
  if (!status) status = comm_worst(answer_all(&heard, &answers));
  mail_free(&heard);
  if (!status) status = mail_exchange(&answers, &told);
  mail_free(&answers);
  if (!status) {
    *count = mail_total(&told);
    *sharings = malloc(((size_t)*count + 1) * sizeof **sharings);
    if (*sharings) {
      if (*count) memcpy(*sharings, told.items, (size_t)*count * sizeof **sharings); // the same three int64
      qsort(*sharings, (size_t)*count, sizeof **sharings, compare_by_neighbour);
    } else {
      status = 3;
    }
  }
  mail_free(&told);
  return status;
}

static bool make_room(halo *h, int ncomp)
{
  if (ncomp <= h->ncomp_room) return true;
  size_t n = (size_t)h->first[h->nneighbours] * (size_t)ncomp + 1, nsum = (size_t)h->nshared * (size_t)ncomp + 1;
  free(h->out);
  free(h->in);
  free(h->sum);
  h->out = malloc(n * sizeof *h->out);
  h->in = malloc(n * sizeof *h->in);
  h->sum = malloc(nsum * sizeof *h->sum);
  h->ncomp_room = ncomp;
  return h->out && h->in && h->sum;
}

static void set_neighbours(halo *h, const sharing *s, int count)
{
  for (int i = 0; i < count; i++) {
    if (i > 0 && s[i].other == s[i - 1].other) continue;
    h->first[h->nneighbours] = i;
    h->neighbours[h->nneighbours++] = (int)s[i].other;
  }
  h->first[h->nneighbours] = count;
}

/* slot_of has shape [n], zeros. */
static void set_slots(halo *h, const sharing *s, int count, int *slot_of)
{
  for (int i = 0; i < count; i++) slot_of[s[i].at] = 1;
  for (int i = 0; i < h->n; i++) {
    if (!slot_of[i]) continue;
    slot_of[i] = h->nshared;
    h->shared[h->nshared++] = i;
  }
  for (int i = 0; i < count; i++) h->slots[i] = slot_of[s[i].at];
}

static bool halo_fill(halo *h, const sharing *s, int count)
{
  int neighbours = 0;
  for (int i = 0; i < count; i++) neighbours += i == 0 || s[i].other != s[i - 1].other;
  size_t most_shared = (size_t)(count < h->n ? count : h->n) + 1;
  h->shared = malloc(most_shared * sizeof *h->shared);
  h->neighbours = malloc(((size_t)neighbours + 1) * sizeof *h->neighbours);
  h->first = malloc(((size_t)neighbours + 1) * sizeof *h->first);
  h->slots = malloc(((size_t)count + 1) * sizeof *h->slots);
  h->requests = malloc((2 * (size_t)neighbours + 1) * sizeof *h->requests);
  int *slot_of = calloc((size_t)h->n + 1, sizeof *slot_of);
  bool ok = h->shared && h->neighbours && h->first && h->slots && h->requests && slot_of;
  if (ok) {
    set_neighbours(h, s, count);
    set_slots(h, s, count, slot_of);
    ok = make_room(h, FIRST_NCOMP);
  }
  free(slot_of);
  return ok;
}

int halo_create(halo **result, int n, const int64_t *id)
{
  halo *h = calloc(1, sizeof *h);
  sharing *sharings = NULL;
  int count = 0, status = comm_worst(h ? 0 : 3);
  if (!status) {
    h->n = n;
    h->rank = comm_rank();
    status = comm_worst(find_sharings(n, id, &sharings, &count));
  }
  if (!status) status = comm_worst(halo_fill(h, sharings, count) ? 0 : 3);
  free(sharings);
  if (status) halo_destroy(&h);
  *result = h;
  return status;
}

void halo_destroy(halo **result)
{
  halo *h = *result;
  *result = NULL;
  if (!h) return;
  halo_device_destroy(&h->device);
  free(h->shared);
  free(h->neighbours);
  free(h->first);
  free(h->slots);
  free(h->out);
  free(h->in);
  free(h->sum);
  free(h->requests);
  free(h);
}

int halo_neighbours(const halo *h)
{
  return h->nneighbours;
}

int halo_shared(const halo *h, const int **index)
{
  *index = h->shared;
  return h->nshared;
}

void halo_owned(const halo *h, bool *owner)
{
  for (int i = 0; i < h->n; i++) owner[i] = true;
  for (int j = 0; j < h->nneighbours && h->neighbours[j] < h->rank; j++) {
    for (int i = h->first[j]; i < h->first[j + 1]; i++) owner[h->shared[h->slots[i]]] = false;
  }
}

/* ------------------------------------------------------------------ on a GPU */

/* What halo_lists adds to a halo, of one block of memory. */
static int *make_lists(const halo *h, halo_lists *lists)
{
  const int nslots = h->first[h->nneighbours];
  int *block = calloc(2 * (size_t)nslots + 2 * (size_t)h->nshared + 2, sizeof *block);
  if (!block) return NULL;
  int *node = block, *entry = node + nslots, *own = entry + nslots, *start = own + h->nshared, j = 0;
  for (int i = 0; i < nslots; i++) {
    node[i] = h->shared[h->slots[i]];
    start[h->slots[i] + 1]++;
  }
  for (int i = 0; i < h->nshared; i++) {
    start[i + 1] += start[i];
    own[i] = start[i]; // counts up to where this rank's own entry belongs
  }
  for (; j < h->nneighbours && h->neighbours[j] < h->rank; j++)
    for (int i = h->first[j]; i < h->first[j + 1]; i++) entry[own[h->slots[i]]++] = i;
  int *at = malloc(((size_t)h->nshared + 1) * sizeof *at);
  if (at) {
    memcpy(at, own, (size_t)h->nshared * sizeof *at);
    for (int i = h->first[j]; i < nslots; i++) entry[at[h->slots[i]]++] = i;
    *lists = (halo_lists){.nshared = h->nshared,
                          .nslots = nslots,
                          .node = node,
                          .shared = h->shared,
                          .start = start,
                          .entry = entry,
                          .own = own};
  } else {
    free(block);
    block = NULL;
  }
  free(at);
  return block;
}

static int place(batched_ctx *ctx, halo *h)
{
  halo_lists lists;
  int *block = make_lists(h, &lists);
  int status = block ? halo_device_create(&h->device, ctx, &lists, h->direct) : BATCHED_NO_MEMORY;
  if (!status) status = halo_device_make_room(h->device, FIRST_NCOMP);
  free(block);
  return status;
}

/* An extension that Open MPI and MPICH have; NULL in others. */
int MPIX_Query_cuda_support(void) __attribute__((weak));

/* An MPI that does not say that it may never gets to see the device's memory: it would crash. */
static bool mpi_says_direct(void)
{
  return MPIX_Query_cuda_support && MPIX_Query_cuda_support() == 1;
}

/* Byte i of the probe that `rank` sends. */
static unsigned char probe_byte(size_t i, int rank)
{
  return (unsigned char)(31 * i + i / 251 + 7 * (size_t)rank + 1);
}

/* Sends `bytes` bytes around the ring of ranks, from the device's memory to the device's memory: did they arrive? */
static bool probe(batched_ctx *ctx, unsigned char *host, char *device, size_t bytes)
{
  const int size = comm_size(), rank = comm_rank(), from = (rank + size - 1) % size;
  for (size_t i = 0; i < bytes; i++) host[i] = probe_byte(i, rank);
  bool ok = batched_copy_from_host(ctx, device, host, bytes) == BATCHED_SUCCESS;
  ok = batched_fill_zero(ctx, device + bytes, bytes) == BATCHED_SUCCESS && ok;
  ok = batched_synchronize(ctx) == BATCHED_SUCCESS && ok;
  MPI_Sendrecv(device, (int)bytes, MPI_BYTE, (rank + 1) % size, PROBE_TAG, device + bytes, (int)bytes, MPI_BYTE, from,
               PROBE_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ok = batched_copy_to_host(ctx, host, device + bytes, bytes) == BATCHED_SUCCESS && ok;
  for (size_t i = 0; ok && i < bytes; i++) ok = host[i] == probe_byte(i, from);
  return ok;
}

/* Short messages and long ones travel by different ways.  Collective. */
static bool mpi_proves_direct(batched_ctx *ctx)
{
  static const size_t sizes[] = {8, 3000, 1 << 20};
  const size_t most = 1 << 20;
  if (comm_size() == 1 || comm_worst(!mpi_says_direct())) return false;
  unsigned char *host = malloc(most);
  char *device = batched_allocate(ctx, 2 * most);
  bool ok = !comm_worst(!(host && device));
  for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) ok = !comm_worst(!probe(ctx, host, device, sizes[i]));
  batched_release(ctx, device);
  free(host);
  return ok;
}

int halo_place(batched_ctx *ctx, halo *h)
{
  if (batched_get_space(ctx) == BATCHED_HOST) return BATCHED_SUCCESS;
  halo_device_destroy(&h->device);
  h->direct = mpi_proves_direct(ctx);
  return place(ctx, h);
}

const char *halo_path(const halo *h)
{
  if (!h->device) return "the host's memory";
  return h->direct ? "the GPU's memory" : "pinned memory";
}

/* ------------------------------------------------------------------ sums */

static void post(halo *h, int ncomp, double *in, const double *out)
{
  for (int j = 0; j < h->nneighbours; j++) {
    size_t at = (size_t)h->first[j] * (size_t)ncomp;
    int count = (h->first[j + 1] - h->first[j]) * ncomp, to = h->neighbours[j];
    MPI_Irecv(in + at, count, MPI_DOUBLE, to, HALO_TAG, MPI_COMM_WORLD, &h->requests[2 * j]);
    MPI_Isend(out + at, count, MPI_DOUBLE, to, HALO_TAG, MPI_COMM_WORLD, &h->requests[2 * j + 1]);
  }
}

static void wait(halo *h)
{
  MPI_Waitall(2 * h->nneighbours, h->requests, MPI_STATUSES_IGNORE);
}

/* Neighbours wait for messages that this rank can't make. */
static void give_up(const halo *h, int ncomp)
{
  fprintf(stderr, "rank %d: out of memory for the messages of %d components\n", h->rank, ncomp);
  comm_abort(3);
}

static bool on_device(batched_ctx *ctx)
{
  return ctx && batched_get_space(ctx) == BATCHED_CUDA;
}

static int begin_device(batched_ctx *ctx, halo *h, int ncomp, const double *x)
{
  int status = h->device ? BATCHED_SUCCESS : place(ctx, h);
  if (!status) status = halo_device_make_room(h->device, ncomp);
  if (status) give_up(h, ncomp);
  return halo_device_pack(h->device, ncomp, h->n, x);
}

/* Messages go even if the device failed: a neighbour waits for them. */
static int end_device(halo *h, int ncomp, double *x)
{
  int status = halo_device_packed(h->device);
  post(h, ncomp, halo_device_in(h->device), halo_device_out(h->device));
  wait(h);
  return status ? status : halo_device_add(h->device, ncomp, h->n, x);
}

int halo_sum_begin(batched_ctx *ctx, halo *h, int ncomp, const double *x)
{
  if (h->nneighbours == 0) return BATCHED_SUCCESS;
  if (on_device(ctx)) return begin_device(ctx, h, ncomp, x);
  if (!make_room(h, ncomp)) give_up(h, ncomp);
  double *out = h->out;
  for (int i = 0; i < h->first[h->nneighbours]; i++) {
    const double *xi = x + h->shared[h->slots[i]];
    for (int c = 0; c < ncomp; c++) *out++ = xi[(size_t)c * (size_t)h->n];
  }
  post(h, ncomp, h->in, h->out);
  return BATCHED_SUCCESS;
}

/* Adds what neighbour j sent to h->sum. */
static void add_neighbour(halo *h, int j, int ncomp)
{
  const double *in = h->in + (size_t)h->first[j] * (size_t)ncomp;
  for (int i = h->first[j]; i < h->first[j + 1]; i++) {
    double *sum = h->sum + (size_t)h->slots[i] * (size_t)ncomp;
    for (int c = 0; c < ncomp; c++) sum[c] += *in++;
  }
}

int halo_sum_end(batched_ctx *ctx, halo *h, int ncomp, double *x)
{
  if (h->nneighbours == 0) return BATCHED_SUCCESS;
  if (on_device(ctx)) return end_device(h, ncomp, x);
  const size_t n = (size_t)h->n, nc = (size_t)ncomp;
  int j = 0;
  wait(h);
  memset(h->sum, 0, (size_t)h->nshared * nc * sizeof *h->sum);
  for (; j < h->nneighbours && h->neighbours[j] < h->rank; j++) add_neighbour(h, j, ncomp);
  for (size_t i = 0; i < (size_t)h->nshared; i++)
    for (size_t c = 0; c < nc; c++) h->sum[i * nc + c] += x[c * n + (size_t)h->shared[i]];
  for (; j < h->nneighbours; j++) add_neighbour(h, j, ncomp);
  for (size_t i = 0; i < (size_t)h->nshared; i++)
    for (size_t c = 0; c < nc; c++) x[c * n + (size_t)h->shared[i]] = h->sum[i * nc + c];
  return BATCHED_SUCCESS;
}
