# CBLAS and LAPACKE: OpenBLAS where it is, else what there is, with a word on netlib's reference, which is slow.
include_guard(GLOBAL)
include(CheckFunctionExists)

set(folders openblas openblas-pthread openblas-openmp openblas-serial)
find_path(CBLAS_INCLUDE cblas.h PATH_SUFFIXES ${folders})
find_path(LAPACKE_INCLUDE lapacke.h PATH_SUFFIXES ${folders})
find_library(CBLAS_LIBRARY NAMES openblas mkl_rt blis cblas blas PATH_SUFFIXES ${folders})
find_library(LAPACKE_LIBRARY NAMES lapacke openblas mkl_rt PATH_SUFFIXES ${folders})
mark_as_advanced(CBLAS_INCLUDE LAPACKE_INCLUDE CBLAS_LIBRARY LAPACKE_LIBRARY)

set(BATCHED_BLAS_FOUND OFF)
if(CBLAS_INCLUDE AND LAPACKE_INCLUDE AND CBLAS_LIBRARY AND LAPACKE_LIBRARY)
  set(BATCHED_BLAS_FOUND ON)
  string(REGEX REPLACE "^.*/lib([^/.]*)\\..*$" "\\1" BATCHED_BLAS_NAME ${CBLAS_LIBRARY})
  # A system may call any library libblas, as Debian's alternatives do.
  set(CMAKE_REQUIRED_LIBRARIES ${CBLAS_LIBRARY})
  check_function_exists(openblas_get_config BATCHED_BLAS_IS_OPENBLAS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()

if(NOT BATCHED_BLAS_FOUND)
  message(STATUS "BLAS: none, so no rows vendor.blas and vendor.lapacke; OpenBLAS brings them (Debian: libopenblas-dev, liblapacke-dev)")
elseif(BATCHED_BLAS_IS_OPENBLAS)
  message(STATUS "BLAS: OpenBLAS, ${CBLAS_LIBRARY}")
elseif(BATCHED_BLAS_NAME MATCHES "^c?blas$")
  message(WARNING "BLAS: ${CBLAS_LIBRARY} seems to be netlib's reference, which is slow; better install OpenBLAS "
                  "(Debian: libopenblas-dev), and configure anew")
else()
  message(STATUS "BLAS: ${CBLAS_LIBRARY}")
endif()
