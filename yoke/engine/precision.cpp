#include "yoke/engine/precision.h"

#include <fmt/format.h>

#include "yoke/core/error.h"

namespace yoke {

Precision parse_precision(const std::string& name) {
  if (name == "fp32") return Precision::kFp32;
  if (name == "bf16") return Precision::kBf16;
  throw UsageError(fmt::format("precision is '{}'; allowed: fp32, bf16", name));
}

std::string why_not(Precision precision) {
  if (precision == Precision::kFp32) return "";
#if defined(__x86_64__)
  // AMX implies it: no processor has one without the other.
  if (__builtin_cpu_supports("avx512bf16")) return "";
#endif
  return "bf16 needs a processor with AVX-512 BF16 or AMX, and this one has neither; "
         "use --precision fp32";
}

}  // namespace yoke
