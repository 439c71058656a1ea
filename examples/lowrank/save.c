/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Saves a tile low-rank matrix in an HDF5 file and reads it back:
 *
 *   example_lowrank_save FILE [n]
 *
 * The file has the attributes n and tile, `ranks` (tile rows x tile columns, -1: a dense tile), and for each tile a
 * dataset "i,j/u" and "i,j/v", or "i,j/dense"; columns of a matrix are rows of its dataset.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/batched_lowrank.h"

enum { TILE = 64 };

static void must(bool well, const char *what)
{
  if (well) return;
  fprintf(stderr, "save: %s failed\n", what);
  exit(1);
}

/* One column after the other: a view may have a larger leading dimension. */
static void write_matrix(hid_t group, const char *name, batched_matrix a)
{
  const hsize_t size[] = {(hsize_t)a.n, (hsize_t)a.m};
  double *all = malloc((size_t)a.m * (size_t)a.n * sizeof *all);
  must(all != NULL, "memory");
  for (int j = 0; j < a.n; j++)
    memcpy(all + (size_t)j * (size_t)a.m, (const double *)a.data + (size_t)j * (size_t)a.ld, (size_t)a.m * sizeof *all);
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t set = H5Dcreate(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  must(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, name);
  H5Dclose(set);
  H5Sclose(space);
  free(all);
}

static void read_matrix(hid_t group, const char *name, batched_matrix a)
{
  double *all = malloc((size_t)a.m * (size_t)a.n * sizeof *all);
  must(all != NULL, "memory");
  const hid_t set = H5Dopen(group, name, H5P_DEFAULT);
  must(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0, name);
  H5Dclose(set);
  for (int j = 0; j < a.n; j++)
    memcpy((double *)a.data + (size_t)j * (size_t)a.ld, all + (size_t)j * (size_t)a.m, (size_t)a.m * sizeof *all);
  free(all);
}

static void write_int(hid_t file, const char *name, int value)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT);
  must(H5Awrite(attribute, H5T_NATIVE_INT, &value) >= 0, name);
  H5Aclose(attribute);
  H5Sclose(space);
}

static int read_int(hid_t file, const char *name)
{
  int value = 0;
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  must(H5Aread(attribute, H5T_NATIVE_INT, &value) >= 0, name);
  H5Aclose(attribute);
  return value;
}

/* Calls write_matrix or read_matrix for the parts of tile (i, j). */
static void transfer(hid_t file, const batched_tlr *a, int i, int j, bool writes)
{
  char name[64];
  batched_lowrank tile;
  const int rank = batched_tlr_tile(a, i, j, &tile);
  snprintf(name, sizeof name, "%d,%d", i, j);
  const hid_t group =
    writes ? H5Gcreate(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : H5Gopen(file, name, H5P_DEFAULT);
  void (*move)(hid_t, const char *, batched_matrix) = writes ? write_matrix : read_matrix;
  if (rank < 0) move(group, "dense", tile.u);
  if (rank > 0) move(group, "u", tile.u);
  if (rank > 0) move(group, "v", tile.v);
  H5Gclose(group);
}

static void save(const batched_tlr *a, const char *path)
{
  batched_tlr_facts f;
  batched_lowrank tile;
  batched_tlr_get(a, &f);
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  must(file >= 0, path);
  write_int(file, "n", f.n);
  write_int(file, "tile", f.tile);
  const hsize_t size[] = {(hsize_t)f.tile_columns, (hsize_t)f.tile_rows};
  int *ranks = calloc((size_t)(f.tile_rows * f.tile_columns), sizeof *ranks);
  must(ranks != NULL, "memory");
  for (int j = 0; j < f.tile_columns; j++)
    for (int i = j; i < f.tile_rows; i++) {
      ranks[i + j * f.tile_rows] = batched_tlr_tile(a, i, j, &tile);
      transfer(file, a, i, j, true);
    }
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t set = H5Dcreate(file, "ranks", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  must(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ranks) >= 0, "ranks");
  H5Dclose(set);
  H5Sclose(space);
  H5Fclose(file);
  free(ranks);
}

static batched_tlr *load(batched_ctx *ctx, const char *path)
{
  batched_tlr *a;
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  must(file >= 0, path);
  const int n = read_int(file, "n"), tile = read_int(file, "tile");
  must(n > 0 && tile > 0, "a matrix of these sizes");
  const int tiles = (n + tile - 1) / tile;
  int *ranks = calloc((size_t)(tiles * tiles), sizeof *ranks);
  must(ranks != NULL, "memory");
  const hid_t set = H5Dopen(file, "ranks", H5P_DEFAULT);
  must(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ranks) >= 0, "ranks");
  H5Dclose(set);
  must(batched_tlr_create(ctx, &a, BATCHED_D, n, n, tile, BATCHED_TLR_HERMITIAN, ranks) == 0,
       "a matrix of these ranks");
  for (int j = 0; j < tiles; j++)
    for (int i = j; i < tiles; i++) transfer(file, a, i, j, false);
  H5Fclose(file);
  free(ranks);
  return a;
}

/* |A - B| / |A| of what two matrices do to a vector: rounding errors, where they are the same. */
static double difference(batched_ctx *ctx, const batched_tlr *a, const batched_tlr *b, int n)
{
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), norm[2];
  must(x && y, "memory");
  const batched_matrix vx = batched_strided(x, n, 1, n, n, 1), vy = batched_strided(y, n, 1, n, n, 1);
  must(batched_random(ctx, 1, 0, vx) == 0, "random numbers");
  for (int i = 0; i < 2; i++) { /* y = A x, then A x - B x */
    must(batched_tlr_multiply(ctx, BATCHED_NO_TRANS, batched_real(i ? -1 : 1), i ? b : a, vx, batched_real(i), vy) == 0,
         "product");
    must(batched_nrm2(ctx, vy, batched_strided(norm + i, 1, 1, 1, 1, 1)) == 0, "norm");
  }
  free(x);
  free(y);
  return norm[1] / norm[0];
}

int main(int argc, char **argv)
{
  const int n = argc > 2 ? atoi(argv[2]) : 1000;
  if (argc < 2 || n < 1) {
    fprintf(stderr, "usage: example_lowrank_save FILE [n]\n");
    return 2;
  }
  double *points = calloc((size_t)n, sizeof *points);
  batched_ctx *ctx;
  batched_tlr *a, *b;
  batched_tlr_facts f;
  int info;
  must(points != NULL, "memory");
  for (int i = 0; i < n; i++) points[i] = (double)i / n;
  const batched_kernel kernel = {BATCHED_EXPONENTIAL, 1, points, 1, 0.3, 0};
  must(batched_create(&ctx, BATCHED_HOST) == 0, "context");
  must(batched_tlr_from_kernel(ctx, &a, BATCHED_D, n, n, TILE, BATCHED_TLR_HERMITIAN, &kernel,
                               (batched_truncation){.tolerance = 1e-8}, &info) == 0,
       "compression");
  save(a, argv[1]);
  b = load(ctx, argv[1]);
  batched_tlr_get(a, &f);
  const double apart = difference(ctx, a, b, n);
  printf("%d x %d in tiles of %d, ranks up to %d, %.3g MB instead of %.3g; read back: relative difference %g\n", n, n,
         TILE, f.most, 1e-6 * (double)f.bytes, 8e-6 * n * n, apart);
  batched_tlr_destroy(ctx, &a);
  batched_tlr_destroy(ctx, &b);
  batched_destroy(&ctx);
  free(points);
  return apart < 1e-14 ? 0 : 1;
}
