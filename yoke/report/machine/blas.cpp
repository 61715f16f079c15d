#include "yoke/report/machine/blas.h"

#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

namespace yoke {
namespace {

std::string file_of(const char* symbol) {
  void* const address = ::dlsym(RTLD_DEFAULT, symbol);
  Dl_info info{};
  if (address == nullptr || ::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  std::error_code error;
  const auto path = std::filesystem::canonical(info.dli_fname, error);  // Debian's are links
  return error ? info.dli_fname : path.string();
}

template <typename Function>
Function* loaded_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

}  // namespace

std::string blas_name(const std::string& path, bool has_mkl) {
  const auto contains = [&](const char* part) { return path.find(part) != std::string::npos; };
  if (contains("openblas")) return "OpenBLAS";
  if (contains("libmkl")) return "MKL";
  if (contains("blis")) return "BLIS";
  if (contains("atlas")) return "ATLAS";
  if (contains("libtorch")) return has_mkl ? "MKL" : "unknown";
  // Debian's reference library is the one in a folder of no particular name.
  if (contains("libblas.so") || contains("libcblas.so")) return "reference";
  // LibTorch with all of MKL inside shows no sgemm_.
  return path.empty() && has_mkl ? "MKL" : "unknown";
}

Blas active_blas() {
  Blas blas;
  blas.path = file_of("sgemm_");
  if (blas.path.empty()) blas.path = file_of("cblas_sgemm");
  blas.name = blas_name(blas.path, at::hasMKL());
  if (blas.name == "MKL") {
    blas.configuration = at::get_mkl_version();
    blas.threads = BlasThreads::kOpenMp;
  } else if (blas.name == "OpenBLAS") {
    const auto configuration = loaded_function<const char*()>("openblas_get_config");
    if (configuration != nullptr) blas.configuration = configuration();
    blas.threads = openblas_threads();
  } else if (blas.name == "reference") {
    blas.threads = BlasThreads::kNone;
  }
  return blas;
}

std::string describe(const Blas& blas) {
  std::string text = blas.name;
  switch (blas.threads) {
    case BlasThreads::kNone:
      text += " (no threads)";
      break;
    case BlasThreads::kOwn:
      text += " (threads of its own)";
      break;
    case BlasThreads::kOpenMp:
      text += " (OpenMP threads)";
      break;
    case BlasThreads::kUnknown:
      break;
  }
  return blas.path.empty() ? text : fmt::format("{}, {}", text, blas.path);
}

}  // namespace yoke
