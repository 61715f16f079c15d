// yoke/report/machine/versions.cpp: versions of Yoke and of what it runs on.
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/version.h>
#ifdef YOKE_WITH_NCCL
#include <nccl.h>
#endif

#include "yoke/core/version.h"
#include "yoke/report/machine/blas.h"
#include "yoke/report/machine/hardware.h"

namespace yoke {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

/// `2.6.3` from `Intel(R) MKL-DNN v2.6.3 (Git Hash N/A)`.
std::string version_number(const std::string& text) {
  const auto at = text.find(" v");
  if (at == std::string::npos) return text;
  return text.substr(at + 2, text.find(' ', at + 2) - at - 2);
}

}  // namespace

std::map<std::string, std::string> versions() {
  std::map<std::string, std::string> found = {{"yoke", kVersion},
                                              {"libtorch", TORCH_VERSION},
                                              {"compiler", compiler()},
                                              {"blas", describe(active_blas())},
                                              {"openmp", at::get_openmp_version()}};
  found["onednn"] = at::hasMKLDNN() ? version_number(at::get_mkldnn_version()) : "none";
  if (at::hasCUDA()) {
    const long version = at::detail::getCUDAHooks().versionCUDART();  // 12010 for 12.1
    found["cuda"] = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
#ifdef YOKE_WITH_NCCL
  found["nccl"] = fmt::format("{}.{}.{}", NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH);
#endif
  return found;
}

}  // namespace yoke
