/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times gtsv, which pivots, beside cuSPARSE's gtsv2StridedBatch, which does not, and prints CSV; run by hand:
 *
 *   batched_bench_gtsv [n=512] [count=1000] [types=sdcz] [row=auto]
 *
 * Each time is one call's on the GPU, with cold caches, microseconds: the least of fifteen, and their median.
 * `dominant` matrices have diagonals of 4 beside numbers from -1 to 1; `random` ones such numbers alone, which cuSPARSE
 * gets, too, only to be timed.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>
#include <cusparse.h>

#include "batched/operations.h"

namespace
{

struct setting {
  int n = 512, count = 1000;
  const char *types = "d";
  char row[64] = "auto";
};

cudaStream_t stream;

/* A batch of tridiagonal matrices with one right-hand side each, as they came and for one call. */
struct systems {
  enum { VECTORS = 4 };
  batched_type type;
  int n, count;
  size_t bytes; /* of each vector of all matrices */
  char *given, *used;
  int *scratch, *info;

  void *vector(int v) const
  {
    return used + v * bytes;
  }
  batched_matrix view(int v, int length) const
  {
    return batched_make_strided(type, vector(v), length, 1, n, n, count);
  }
};

enum { SCRATCH = 256 << 20 };

void must(bool fine, const char *what)
{
  if (fine) return;
  std::fprintf(stderr, "bench_gtsv: %s\n", what);
  std::exit(1);
}

/* Reads so much that nothing else stays in the cache, and nothing has to be written back. */
__global__ void evict(const int *x, size_t numbers, int *sum)
{
  int own = 0;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < numbers; i += (size_t)gridDim.x * blockDim.x)
    own ^= x[i];
  if (own == 1) *sum = own;
}

/* Vectors dl, d, du, b; cuSPARSE's dl begins with the element that no row has. */
template <class R> void fill(const systems &s, int parts, bool dominant, bool shifted)
{
  const size_t numbers = s.bytes / sizeof(R);
  std::vector<R> x(systems::VECTORS * numbers);
  uint64_t state = 1;
  for (size_t e = 0; e < x.size(); e++) {
    const size_t row = e / parts % s.n, v = e / numbers;
    state = state * 6364136223846793005u + 1442695040888963407u;
    x[e] = (R)((double)(state >> 11) * 0x1p-52 - 1);
    if (dominant && v == 1 && e % parts == 0) x[e] = 4;
    if (shifted && ((v == 0 && row == 0) || (v == 2 && row + 1 == (size_t)s.n))) x[e] = 0;
  }
  must(cudaMemcpy(s.given, x.data(), systems::VECTORS * s.bytes, cudaMemcpyHostToDevice) == cudaSuccess, "copy");
}

template <class F> void time_calls(const systems &s, const char *kind, const char *row, F call)
{
  enum { WARM = 3, CALLS = 15 };
  std::vector<float> times;
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  for (int i = 0; i < WARM + CALLS; i++) {
    cudaMemcpyAsync(s.used, s.given, systems::VECTORS * s.bytes, cudaMemcpyDeviceToDevice, stream);
    evict<<<1024, 256, 0, stream>>>(s.scratch, SCRATCH / sizeof(int), s.info);
    cudaEventRecord(start, stream);
    must(call(), "a call failed");
    cudaEventRecord(end, stream);
    must(cudaEventSynchronize(end) == cudaSuccess, "a kernel failed");
    float ms = 0;
    cudaEventElapsedTime(&ms, start, end);
    if (i >= WARM) times.push_back(1000 * ms);
  }
  std::sort(times.begin(), times.end());
  std::printf("gtsv,%s,%c,%d,%d,%s,%.1f,%.1f\n", row, "sdcz"[s.type], s.n, s.count, kind, times[0], times[CALLS / 2]);
  std::fflush(stdout);
  cudaEventDestroy(start);
  cudaEventDestroy(end);
}

template <class T, class BYTES, class SOLVE>
void time_cusparse(cusparseHandle_t handle, const systems &s, const char *kind, BYTES bytes, SOLVE solve)
{
  T *x[systems::VECTORS];
  for (int v = 0; v < systems::VECTORS; v++) x[v] = static_cast<T *>(s.vector(v));
  size_t needed = 0;
  void *work = nullptr;
  must(bytes(handle, s.n, x[0], x[1], x[2], x[3], s.count, s.n, &needed) == CUSPARSE_STATUS_SUCCESS, "cuSPARSE");
  must(cudaMalloc(&work, needed + 1) == cudaSuccess, "memory");
  time_calls(s, kind, "cusparse",
             [&] { return solve(handle, s.n, x[0], x[1], x[2], x[3], s.count, s.n, work) == CUSPARSE_STATUS_SUCCESS; });
  cudaFree(work);
}

void time_type(batched_ctx *ctx, cusparseHandle_t handle, const setting &of, batched_type type)
{
  const bool single = type == BATCHED_S || type == BATCHED_C, complex = type == BATCHED_C || type == BATCHED_Z;
  const int parts = complex ? 2 : 1;
  systems s = {type, of.n, of.count, 0, nullptr, nullptr, nullptr, nullptr};
  s.bytes = (size_t)of.n * of.count * parts * (single ? sizeof(float) : sizeof(double));
  must(cudaMalloc(&s.given, systems::VECTORS * s.bytes) == cudaSuccess &&
         cudaMalloc(&s.used, systems::VECTORS * s.bytes) == cudaSuccess &&
         cudaMalloc(&s.scratch, SCRATCH) == cudaSuccess && cudaMemset(s.scratch, 0, SCRATCH) == cudaSuccess &&
         cudaMalloc(&s.info, sizeof(int) * of.count) == cudaSuccess,
       "memory");
  for (const bool dominant : {true, false}) {
    const char *kind = dominant ? "dominant" : "random";
    const auto fill_all = [&](bool shifted) {
      single ? fill<float>(s, parts, dominant, shifted) : fill<double>(s, parts, dominant, shifted);
    };
    fill_all(false);
    time_calls(s, kind, of.row, [&] {
      return batched_gtsv(ctx, s.view(0, s.n - 1), s.view(1, s.n), s.view(2, s.n - 1), s.view(3, s.n), s.info) == 0;
    });
    fill_all(true);
    if (type == BATCHED_S)
      time_cusparse<float>(handle, s, kind, cusparseSgtsv2StridedBatch_bufferSizeExt, cusparseSgtsv2StridedBatch);
    else if (type == BATCHED_D)
      time_cusparse<double>(handle, s, kind, cusparseDgtsv2StridedBatch_bufferSizeExt, cusparseDgtsv2StridedBatch);
    else if (type == BATCHED_C)
      time_cusparse<cuComplex>(handle, s, kind, cusparseCgtsv2StridedBatch_bufferSizeExt, cusparseCgtsv2StridedBatch);
    else
      time_cusparse<cuDoubleComplex>(handle, s, kind, cusparseZgtsv2StridedBatch_bufferSizeExt,
                                     cusparseZgtsv2StridedBatch);
  }
  cudaFree(s.given);
  cudaFree(s.used);
  cudaFree(s.scratch);
  cudaFree(s.info);
}

} // namespace

int main(int argc, char **argv)
{
  setting of;
  for (int i = 1; i < argc; i++)
    if (std::strncmp(argv[i], "types=", 6) == 0) {
      of.types = argv[i] + 6;
    } else if (std::sscanf(argv[i], "n=%d", &of.n) != 1 && std::sscanf(argv[i], "count=%d", &of.count) != 1 &&
               std::sscanf(argv[i], "row=%63s", of.row) != 1) {
      std::fprintf(stderr, "bench_gtsv: %s is none of n=, count=, types=, row=\n", argv[i]);
      return 2;
    }
  must(of.n >= 3 && of.count >= 1, "n is at least 3, count 1");
  batched_ctx *ctx;
  cusparseHandle_t handle;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess &&
         batched_create_on_stream(&ctx, stream) == 0,
       "no GPU");
  must(batched_select(ctx, &batched_gtsv_op, of.row) == 0, "no such row");
  must(cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS &&
         cusparseSetStream(handle, stream) == CUSPARSE_STATUS_SUCCESS,
       "cuSPARSE");
  std::printf("op,row,type,n,count,kind,us,median\n");
  for (const char *t = of.types; *t; t++) {
    const char *found = std::strchr("sdcz", *t);
    must(found, "types are s, d, c and z");
    time_type(ctx, handle, of, static_cast<batched_type>(found - "sdcz"));
  }
  cusparseDestroy(handle);
  batched_destroy(&ctx);
  cudaStreamDestroy(stream);
}
