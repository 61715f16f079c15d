// yoke/report/machine/blas.h: which BLAS library LibTorch's matrix products run in.
#pragma once
#include <string>

#include "yoke/core/system/threads.h"

namespace yoke {

struct Blas {
  std::string name;           ///< OpenBLAS, MKL, BLIS, ATLAS, reference or unknown.
  std::string path;           ///< The file that provides sgemm; empty if there is none.
  std::string configuration;  ///< What the library says of itself, if anything.
  BlasThreads threads = BlasThreads::kUnknown;
};

/// The library that answers to `sgemm_` in this process.
Blas active_blas();

/// The name of the library behind `path`, the file that provides sgemm. `has_mkl`: LibTorch was
/// built with it.
std::string blas_name(const std::string& path, bool has_mkl);

/// `OpenBLAS (OpenMP threads), /usr/lib/...`.
std::string describe(const Blas& blas);

}  // namespace yoke
