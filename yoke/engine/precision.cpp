#include "yoke/engine/precision.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {

Precision parse_precision(const std::string& name) {
  if (name == "fp32") return Precision::kFp32;
  if (name == "bf16") return Precision::kBf16;
  if (name == "o1") return Precision::kO1;
  if (name == "o2") return Precision::kO2;
  throw UsageError(fmt::format("precision is '{}'; allowed: fp32, bf16, o1, o2", name));
}

bool scales_loss(Precision precision, torch::Device device) {
  return precision == Precision::kO2 || (precision == Precision::kO1 && !device.is_cpu());
}

std::string why_not(Precision precision) {
  if (precision != Precision::kBf16) return "";
#if defined(__x86_64__)
  // AMX implies it: no processor has one without the other.
  if (__builtin_cpu_supports("avx512bf16")) return "";
#endif
  return "bf16 needs a processor with AVX-512 BF16 or AMX, and this one has neither; "
         "use --precision fp32";
}

}  // namespace yoke
