/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How far the fast reciprocals and reciprocal roots are from the true ones, in units of the last place of 1; skipped
 * where there is no GPU.
 */
#include <cstdio>

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::fast_math_test
{

/* |1 - x y| / eps, by a fused multiply-add. */
template <class R> __device__ R error_of_inverse(R x, R y)
{
  return fabs(fma(-x, y, R(1))) / eps_of<R>;
}

/* |1 - x y^2| / (2 eps): that of the root, with y^2 as the sum of two numbers. */
template <class R> __device__ R error_of_root(R x, R y)
{
  const R square = y * y, rest = fma(y, y, -square);
  return fabs(fma(-x, rest, fma(-x, square, R(1)))) / (2 * eps_of<R>);
}

template <class R> __device__ R error_of_complex(complex<R> x, complex<R> y)
{
  const complex<R> rest = mad(x, y, complex<R>{-1, 0});
  return sqrt(square(rest)) / eps_of<R>;
}

enum { INVERSE, ROOT, CORRECTED_ROOT, COMPLEX, ANY, CASES };
static const char *const names[CASES] = {"inverse_of", "inverse_root", "inverse_root, corrected", "inverse_of, complex",
                                         "reciprocal_of"};

/* The largest errors over numbers of all sizes up to 2^limit, in errors[CASES]; not a number counts as infinite. */
template <class R> static __global__ void find_errors(int limit, int extreme, float *errors)
{
  unsigned random = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const auto next = [&] { return random = random * 1664525u + 1013904223u; };
  for (int i = 0; i < 64; i++) {
    const R mantissa = 1 + next() * R(0x1p-32) + next() * R(0x1p-64);
    const R x = scalbn(mantissa, (int)(next() % (2 * limit)) - limit), z = next() % 2 ? x : -x;
    const complex<R> c = {scalbn(mantissa, (int)(next() % limit) - limit / 2), next() * R(0x1p-32) - R(0.5)};
    const R any = scalbn(mantissa, (int)(next() % (2 * extreme)) - extreme);
    const R found[CASES] = {error_of_inverse(z, inverse_of(z)), error_of_root(x, inverse_root(x)),
                            error_of_root(x, inverse_root(x, rough_inverse_root(x))),
                            error_of_complex(c, inverse_of(c)), fabs(reciprocal_of(any)(any) - 1) / eps_of<R>};
    for (int k = 0; k < CASES; k++)
      atomicMax(reinterpret_cast<int *>(errors + k), __float_as_int(found[k] <= 1e6 ? (float)found[k] : 1e6f));
  }
}

/* Errors that are allowed: see fast_math.cuh. */
template <class R>
static int check(batched_ctx *ctx, const char *type, int limit, int extreme, const float (&most)[CASES])
{
  float errors[CASES] = {};
  auto *on_device = static_cast<float *>(batched_allocate(ctx, sizeof errors));
  if (!on_device || batched_fill_zero(ctx, on_device, sizeof errors) ||
      launch(ctx, find_errors<R>, 1024, 256, 0, limit, extreme, on_device) ||
      batched_copy_to_host(ctx, errors, on_device, sizeof errors)) {
    std::puts("the device failed");
    return 1;
  }
  batched_release(ctx, on_device);
  int failed = 0;
  for (int k = 0; k < CASES; k++) {
    std::printf("%-24s %-7s %.3f eps, at most %.1f allowed\n", names[k], type, errors[k], most[k]);
    failed |= errors[k] == 0 || errors[k] > most[k];
  }
  return failed;
}

} // namespace batched_cuda::fast_math_test

int main()
{
  batched_ctx *ctx;
  const int status = batched_create(&ctx, BATCHED_CUDA);
  if (status) {
    std::puts(status == BATCHED_NO_DEVICE ? "SKIPPED: no CUDA device" : batched_strerror(status));
    return status == BATCHED_NO_DEVICE ? 77 : 1;
  }
  using namespace batched_cuda::fast_math_test;
  const int failed = check<double>(ctx, "double", 990, 1020, {1, 1.5, 1.5, 3, 2}) |
                     check<float>(ctx, "float", 110, 120, {1, 2.5, 1.5, 3, 2});
  batched_destroy(&ctx);
  return failed;
}
