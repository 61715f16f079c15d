#include "yoke/train/checkpoints/wrapper_names.h"

#include <algorithm>
#include <string_view>

namespace yoke {
namespace {

constexpr std::string_view kWrappers[] = {"module.", "_orig_mod."};

bool all_begin_with(const NamedTensors& tensors, std::string_view prefix) {
  return !tensors.empty() && std::all_of(tensors.begin(), tensors.end(), [&](const auto& item) {
    return item.first.starts_with(prefix);
  });
}

/// The wrapper that all of `given` are in and `wanted` are not, or nothing.
std::string_view wrapper_of(const NamedTensors& given, const NamedTensors& wanted) {
  for (const auto prefix : kWrappers) {
    if (all_begin_with(given, prefix) && !all_begin_with(wanted, prefix)) return prefix;
  }
  return "";
}

}  // namespace

void strip_wrapper_names(NamedTensors& given, const NamedTensors& wanted) {
  for (;;) {
    const auto prefix = wrapper_of(given, wanted);
    if (prefix.empty()) return;
    for (auto& [name, tensor] : given) name.erase(0, prefix.size());
  }
}

}  // namespace yoke
