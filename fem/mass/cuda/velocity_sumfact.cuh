/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The matrix-free product y = M_v x on a GPU.  Kernels write the sums over each zone block's zones to slots, one per
 * node of a zone block (which may be a single zone); then each dof adds up its slots, in their order.  No atomics, so
 * the same run has the same bits.
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

/* Adds one entry to the four dot products of an iteration. */
__device__ __forceinline__ void add_dots(double *dots, double r, double p, double w, double d)
{
  const double z = d * r;
  dots[SOLVER_PW] += p * w;
  dots[SOLVER_RZ] += r * z;
  dots[SOLVER_WZ] += w * z;
  dots[SOLVER_WW] += w * d * w;
}

/* A zone block, for kernels; see fem_zone_blocks. */
struct alignas(16) zone_block_head {
  int first_node, nnodes, ninner, first_slot;
  int numbering;
  int first_own; /* of its inner nodes, in the order of conjugate gradients */
};

/* Conjugate gradients number dofs zone block by zone block, each block's new nodes first, in the order of its nodes.
 * NODE_OF_ANOTHER marks a node of an earlier zone block, which updates it. */
constexpr unsigned NODE_OF_ANOTHER = 1u << 31;

/* Flags beside the bits of constrained components: other ranks have this dof, too; another rank owns it. */
constexpr unsigned char SHARED_DOF = 1 << 6, DOF_OF_ANOTHER = 1 << 7;

/* fem_zone_blocks in the context's memory, owned by the store. */
struct zone_block_view {
  int size, most_nodes, nchunks, most_rows;
  zone_block_head *head; /* [nzone_blocks] */
  int *zone, *node;
  unsigned *step_node; /* the nodes in the order of conjugate gradients, with NODE_OF_ANOTHER */
  uint16_t *local, *chunk_start, *place;
};

/* Arguments of a kernel for zone blocks [first, last).  T: double, or float within what is refined. */
template <class T> struct product_arguments {
  zone_block_view zone_blocks;
  int first, last;
  int64_t ndofs, nslots;
  const T *weights; /* see zone_block_kernel.lanes */
  const T *x;       /* [dim][ndofs] */
  T *y, *slots;     /* [dim][ndofs], [dim][nslots] */
  solvers_cuda::split_vectors_of<T> cg;
};

/* A kernel for one shape. */
struct zone_block_kernel {
  int dim, n, q;           /* q: 0: weights are a number per zone, times those of the rule */
  int size, stride, nodes; /* of its zone blocks: see fem_zone_blocks_create */
  int lanes; /* weights [zone block][nq or, with q = 0, 1][lanes]; 0: the material's density, [zone][nq] */
  int (*blocks)(int nodes); /* how many the GPU holds at a time */
  /* `step`: the product of solvers/cuda/pcg_split.cuh, by a.cg */
  int (*run)(batched_ctx *ctx, const fem_space *s, const product_arguments<double> &a, int blocks, bool step);
  /* The same in single precision, with `step`. */
  int (*blocks_single)(int nodes);
  int (*run_single)(batched_ctx *ctx, const fem_space *s, const product_arguments<float> &a, int blocks);
};

/* NULL: no kernel for this shape. */
const zone_block_kernel *find_zone_kernel(const fem_space *s); /* a thread per zone and component */
const zone_block_kernel *find_row_kernel(const fem_space *s);  /* a thread per row of points */
/* For zones that were parallelepipeds of one density. */
const zone_block_kernel *find_affine_kernel(const fem_space *s);

/* The store of cuda.sumfact. */
struct sumfact_store {
  const zone_block_kernel *kernel; /* NULL: zones one by one, the kernel for any shape */
  int blocks;                      /* of the kernel */
  int nzone_blocks, nfirst;
  zone_block_view zone_blocks;
  double *weights; /* owned, as all below, in the context's memory; NULL: those of the material */
  int nslots;
  double *slots;            /* [dim][nslots] */
  unsigned char *essential; /* [ndofs] */
  gather_list lists[2];     /* by fem_part */
  /* In the order of conjugate gradients: */
  int *order;                    /* [ndofs]: dofs */
  double *inverse_diagonal;      /* [ndofs], as the next */
  unsigned char *step_essential; /* with SHARED_DOF and DOF_OF_ANOTHER */
  int *slot_start;               /* [ndofs + 1]: slots of each dof, none where a zone block has all its zones */
  int *slot_of_dof;              /* [nslots], in that order */
  halo_peers *peers;             /* owned; NULL: there are none */
  solver_split split;
  /* In single precision, once it was asked for; slots are those of double precision, of which half is used: */
  float *single_weights; /* owned; NULL: not yet */
  int single_blocks;
  solver_split single;
};

/* The preconditioner of solvers/cuda/pcg_split.cuh by zone blocks: precondition_zones.cu. */
template <class T> struct inverse_arguments {
  zone_block_view zone_blocks;
  int count, stride;       /* zone blocks; of places */
  const float *scale;      /* [zone block][nd][size], or, of zones of one density, [zone block][size] */
  const float *node_scale; /* with the latter: [ndofs] */
  double largest;          /* what they are relative to: the largest entry of S_z, or a bound of it */
  float *slots;            /* [dim][nslots] */
  int64_t nslots;
  const int *slot_start, *slot_of_dof;
  const unsigned char *essential;
  solvers_cuda::split_vectors_of<T> cg;
};

/* A kernel for one shape. */
struct inverse_kernel {
  int dim, n;
  bool even;                            /* for zones of one density each */
  int (*blocks)(int nodes, int stride); /* how many the GPU holds at a time */
  int (*run)(batched_ctx *ctx, const double *inverse, const inverse_arguments<double> &a, int blocks);
  int (*run_single)(batched_ctx *ctx, const double *inverse, const inverse_arguments<float> &a, int blocks);
};

const inverse_kernel *find_inverse_kernel(const fem_space *s, bool even); /* NULL: there is none */

int setup_sumfact(batched_ctx *ctx, fem_mass *m);
void teardown_sumfact(batched_ctx *ctx, fem_mass *m);
void constants_of_sumfact(const fem_mass *m, fem_constant_visit *visit, void *user);

/* Makes what is needed in single precision. */
int prepare_single(batched_ctx *ctx, const fem_mass *m, sumfact_store *store);

/* The residual of solvers/cuda/pcg_split.cuh; T: double or float. */
template <class T>
int launch_residual(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store,
                    const solvers_cuda::split_vectors_of<T> &v);
int residual_blocks(const fem_space *s, const sumfact_store *store);

/* Zones [first, last) of any shape, to the slots zone * nd + node. */
int launch_any(batched_ctx *ctx, const fem_mass *m, const sumfact_store *store, int first, int last, const double *x);

DEVICE constexpr int power(int base, int exponent)
{
  return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

/* Blocks of a kernel that are resident at the same time on the whole GPU; 0 if none fits. */
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
