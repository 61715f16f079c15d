#include "yoke/engine/precision.h"

namespace yoke {

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
