/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gemv as one did it before there were batches: cublas<t>gemv for one matrix after the other, on several streams in
 * turn.  The baseline of table 4 of Dong et al., "MAGMA Batched".  Only strided batches: the host has to know where the
 * matrices are.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/products/cuda/gemv.cuh"

namespace batched_cuda::products
{

namespace
{

constexpr int nstreams = 16;

/* Streams whose work comes after what the context's stream has, and before what it gets after join(). */
class branches
{
public:
  explicit branches(cudaStream_t trunk) : trunk(trunk)
  {
    for (int i = 0; i < nstreams; i++) {
      check(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
      check(cudaEventCreateWithFlags(&event[i], cudaEventDisableTiming));
    }
    if (!status) check(cudaEventRecord(event[0], trunk));
    for (int i = 0; !status && i < nstreams; i++) check(cudaStreamWaitEvent(stream[i], event[0], 0));
  }
  ~branches()
  {
    for (int i = 0; i < nstreams; i++) {
      if (event[i]) cudaEventDestroy(event[i]);
      if (stream[i]) cudaStreamDestroy(stream[i]);
    }
  }
  branches(const branches &) = delete;
  branches &operator=(const branches &) = delete;

  cudaStream_t of(int64_t matrix) const
  {
    return stream[matrix % nstreams];
  }
  int join()
  {
    for (int i = 0; !status && i < nstreams; i++) {
      check(cudaEventRecord(event[i], stream[i]));
      check(cudaStreamWaitEvent(trunk, event[i], 0));
    }
    return status;
  }
  int status = BATCHED_SUCCESS;

private:
  void check(cudaError_t error)
  {
    if (error != cudaSuccess) status = status_of(error);
  }
  cudaStream_t trunk, stream[nstreams] = {};
  cudaEvent_t event[nstreams] = {};
};

} // namespace

bool vendor_gemv_streams_fits(const batched_gemv_args &g)
{
  const bool uniform = !batched_is_variable(&g.a) && !batched_is_variable(&g.x) && !batched_is_variable(&g.y);
  const bool strided = !g.a.array && !g.x.array && !g.y.array;
  return uniform && strided && g.a.m > 0 && g.a.n > 0 && !batched_is_zero(g.y.type, g.alpha);
}

int vendor_gemv_streams(batched_ctx *ctx, const batched_gemv_args &g)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  branches fork(stream_of(ctx));
  if (fork.status) return fork.status;
  const int status = with_type(g.y.type, [&](auto t) -> int {
    using T = decltype(t);
    T alpha = make<T>(g.alpha), beta = make<T>(g.beta);
    const batch<T> a = view<T>(g.a), x = view<T>(g.x), y = view<T>(g.y);
    const int incx = batched_increment(&g.x, 0), incy = batched_increment(&g.y, 0);
    cublasStatus_t failed = CUBLAS_STATUS_SUCCESS;
    for (int64_t b = 0; failed == CUBLAS_STATUS_SUCCESS && b < y.count; b++) {
      cublasSetStream(handle, fork.of(b));
      failed = VENDOR_CALL(T, cublas, gemv)(handle, vendor_trans(g.trans), a.m, a.n, vendor(&alpha),
                                            vendor(a.data + b * a.stride), a.ld, vendor(x.data + b * x.stride), incx,
                                            vendor(&beta), vendor(y.data + b * y.stride), incy);
    }
    return status_of(failed);
  });
  cublas_use_stream(ctx);
  const int joined = fork.join();
  return status ? status : joined;
}

} // namespace batched_cuda::products
