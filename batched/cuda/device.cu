/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The GPUs of the machine.
 */
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

#include "batched/context.h"

int batched_cuda_count(const char **why)
{
  int devices = 0, driver = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) return devices;
  cudaGetLastError();
  const bool driven = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  *why = !driven ? "no CUDA driver is installed" : cudaGetErrorString(error == cudaSuccess ? cudaErrorNoDevice : error);
  return 0;
}

int batched_cuda_get(int device, batched_device *about)
{
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, device) != cudaSuccess) {
    cudaGetLastError();
    return BATCHED_NO_DEVICE;
  }
  snprintf(about->name, sizeof about->name, "%s", p.name);
  if (cudaDeviceGetPCIBusId(about->bus_id, (int)sizeof about->bus_id, device) != cudaSuccess) about->bus_id[0] = '\0';
  memcpy(about->uuid, p.uuid.bytes, sizeof about->uuid);
  about->capability = 10 * p.major + p.minor;
  about->memory = p.totalGlobalMem;
  return BATCHED_SUCCESS;
}

/* Shows whether there is code for this GPU: all kernels are compiled for the same architectures. */
static __global__ void any_kernel()
{
}

static int use_status(cudaError_t error)
{
  switch (error) {
  case cudaSuccess: return BATCHED_SUCCESS;
  case cudaErrorInvalidDevice: return BATCHED_NO_DEVICE;
  case cudaErrorMemoryAllocation: return BATCHED_NO_MEMORY;
  case cudaErrorNoKernelImageForDevice:
  case cudaErrorInvalidDeviceFunction:
  case cudaErrorUnsupportedPtxVersion: return BATCHED_NO_KERNELS;
  default: return BATCHED_DEVICE_FAILED;
  }
}

int batched_cuda_use(int device)
{
  const char *why;
  if (batched_cuda_count(&why) == 0) return BATCHED_NO_DEVICE;
  cudaError_t error = device >= 0 ? cudaSetDevice(device) : cudaSuccess;
  cudaFuncAttributes attributes;
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, any_kernel);
  return use_status(error);
}

int batched_cuda_device(char *name, int bytes, int *capability)
{
  int device = 0;
  batched_device about;
  if (cudaGetDevice(&device) != cudaSuccess || batched_cuda_get(device, &about)) return BATCHED_DEVICE_FAILED;
  snprintf(name, (size_t)bytes, "%s", about.name);
  *capability = about.capability;
  return BATCHED_SUCCESS;
}
