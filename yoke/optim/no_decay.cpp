#include "yoke/optim/no_decay.h"

#include "yoke/core/split.h"

namespace yoke {

bool leaves_off(NoDecay rule, const ParameterSlice& slice) {
  if (rule == NoDecay::kNone) return false;
  if (split(slice.name, '.').back() == "bias") return true;
  return rule == NoDecay::kNormAndBias && slice.shape.size() <= 1;
}

std::vector<ElementRange> undecayed_ranges(const FlatParameters& parameters, NoDecay rule) {
  std::vector<ElementRange> ranges;
  for (const auto& slice : parameters.slices()) {
    if (!leaves_off(rule, slice) || slice.elements == 0) continue;
    const std::int64_t end = slice.offset + slice.elements;
    if (!ranges.empty() && ranges.back().end == slice.offset) {
      ranges.back().end = end;
    } else {
      ranges.push_back({slice.offset, end});
    }
  }
  return ranges;
}

}  // namespace yoke
