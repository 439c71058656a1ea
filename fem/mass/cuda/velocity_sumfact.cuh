/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix-free product y = M_v x on a GPU.  Kernels leave what patches of zones give to their nodes in slots, a slot
 * for each node of each patch (a patch may be one zone); then each dof gathers its slots in their order.  No atomics:
 * always the same bits.
 */
#ifndef FEM_CUDA_VELOCITY_SUMFACT_CUH
#define FEM_CUDA_VELOCITY_SUMFACT_CUH

#include "batched/cuda/launch.cuh"
#include "fem/mass/cuda/mass.cuh"
#include "solvers/cuda/pcg_split.cuh"

namespace fem_cuda
{

using namespace batched_cuda;

/* The sums of some dofs over their slots. */
struct gather_list {
  int count;
  int *target; /* [count]: dof */
  int *start;  /* [count + 1] */
  int *slot;   /* [start[count]] */
};

/* Vectors of an iteration of conjugate gradients, [dim][ndofs], and where its dot products go: see solver_operator. */
struct dot_arguments {
  const double *r, *p, *inverse_diagonal;
  const unsigned char *essential; /* [ndofs]: bit c: component c does not move */
  double *dots;
  int parts;
};

/* To the four dot products of an iteration what one entry gives. */
__device__ __forceinline__ void add_dots(double *dots, double r, double p, double w, double d)
{
  const double z = d * r;
  dots[SOLVER_PW] += p * w;
  dots[SOLVER_RZ] += r * z;
  dots[SOLVER_WZ] += w * z;
  dots[SOLVER_WW] += w * d * w;
}

/* What a kernel has to know of a patch; see fem_patches. */
struct alignas(16) patch_head {
  int first_node, nnodes, ninner, first_slot;
  int numbering;
  int first_own; /* of its inner nodes, in the order of conjugate gradients */
};

/* Conjugate gradients have the dofs in another order: patch by patch, those first that no patch before has, in the
 * order of its nodes.  A bit in such a number: an earlier patch has the node, and takes its steps. */
constexpr unsigned NODE_OF_ANOTHER = 1u << 31;

/* Beside the bits of a dof's components that do not move: other ranks have it, too; one of them owns it. */
constexpr unsigned char SHARED_DOF = 1 << 6, DOF_OF_ANOTHER = 1 << 7;

/* fem_patches in the context's memory, owned by the store. */
struct patch_view {
  int size, most_nodes, nchunks, most_rows;
  patch_head *head; /* [npatches] */
  int *zone, *node;
  unsigned *step_node; /* the nodes in the order of conjugate gradients, with NODE_OF_ANOTHER */
  uint16_t *local, *chunk_start, *place;
};

/* The arguments of a kernel that does patches [first, last). */
struct product_arguments {
  patch_view patches;
  int first, last;
  int64_t ndofs, nslots;
  const double *weights; /* density: see patch_kernel.lanes */
  const double *x;       /* [dim][ndofs] */
  double *y, *slots;     /* [dim][ndofs], [dim][nslots] */
  solvers_cuda::split_vectors cg;
};

/* A kernel for one shape. */
struct patch_kernel {
  int dim, n, q;
  int size, stride, nodes;  /* of its patches: see fem_patches_create */
  int lanes;                /* weights [patch][nq][lanes]; 0: those of the material, [zone][nq] */
  int (*blocks)(int nodes); /* how many the GPU holds at a time */
  /* `step`: the product of solvers/cuda/pcg_split.cuh, by a.cg */
  int (*run)(batched_ctx *ctx, const fem_space *s, const product_arguments &a, int blocks, bool step);
};

/* NULL: no kernel for this shape. */
const patch_kernel *find_zone_kernel(const fem_space *s); /* a zone's component a thread */
const patch_kernel *find_row_kernel(const fem_space *s);  /* a row of points a thread */

/* What cuda.sumfact keeps. */
struct sumfact_store {
  const patch_kernel *kernel; /* NULL: zones one by one, the kernel for any shape */
  int blocks;                 /* of the kernel */
  int npatches, nfirst;
  patch_view patches;
  double *weights; /* owned, as all below, in the context's memory; NULL: those of the material */
  int nslots;
  double *slots;            /* [dim][nslots] */
  unsigned char *essential; /* [ndofs] */
  gather_list lists[2];     /* by fem_part */
  /* In the order of conjugate gradients: */
  int *order;                    /* [ndofs]: dofs */
  double *inverse_diagonal;      /* [ndofs], as the next */
  unsigned char *step_essential; /* with SHARED_DOF and DOF_OF_ANOTHER */
  int *slot_start;               /* [ndofs + 1]: slots of each dof, none where a patch has all its zones */
  int *slot_of_dof;              /* [nslots], in that order */
  halo_peers *peers;             /* owned; NULL: there are none */
  solver_split split;
};

int setup_sumfact(batched_ctx *ctx, fem_mass *m);
void teardown_sumfact(batched_ctx *ctx, fem_mass *m);
void constants_of_sumfact(const fem_mass *m, fem_constant_visit *visit, void *user);

/* The residual of solvers/cuda/pcg_split.cuh. */
int launch_residual(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store,
                    const solvers_cuda::split_vectors &v);
int residual_blocks(const fem_space *s, const sumfact_store *store);

/* Zones [first, last) of any shape, to the slots zone * nd + node. */
int launch_any(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store, int first, int last, const double *x);

DEVICE constexpr int power(int base, int exponent)
{
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* How many blocks of a kernel the GPU holds at a time; 0 if it can't. */
template <class... P> int resident_blocks(void (*kernel)(P...), int threads, size_t shared)
{
  int device = 0, processors = 0, blocks = 0;
  const bool ok =
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared) == cudaSuccess &&
    cudaGetDevice(&device) == cudaSuccess &&
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared) == cudaSuccess;
  if (!ok) cudaGetLastError();
  return ok ? blocks * processors : 0;
}

} // namespace fem_cuda

#endif
