#include "yoke/train/checkpoints/other_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace yoke {
namespace {

using TensorsByName = std::map<std::string_view, torch::Tensor>;

std::string_view module_of(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

/// Whether shapes differ in the number of rows alone.
bool differ_in_rows(const torch::Tensor& a, const torch::Tensor& b) {
  return a.dim() > 0 && a.dim() == b.dim() && a.size(0) != b.size(0) &&
         a.sizes().slice(1) == b.sizes().slice(1);
}

/// The last of `wanted` that `given` has in another shape, or null.
const NamedTensors::value_type* last_that_differs(const NamedTensors& wanted,
                                                  const TensorsByName& given) {
  const auto differs = [&](const auto& item) {
    const auto found = given.find(item.first);
    return found != given.end() && found->second.sizes() != item.second.sizes();
  };
  const auto found = std::find_if(wanted.rbegin(), wanted.rend(), differs);
  return found == wanted.rend() ? nullptr : &*found;
}

}  // namespace

bool OtherHead::has(std::string_view name) const { return module_of(name) == module; }

std::string OtherHead::text() const {
  return fmt::format("head{}{} has {} classes there, {} here: begins anew",
                     module.empty() ? "" : " ", module, given, classes);
}

std::optional<OtherHead> find_other_head(const NamedTensors& wanted, const NamedTensors& given,
                                         std::int64_t classes) {
  const TensorsByName by_name(given.begin(), given.end());
  const auto* const last = last_that_differs(wanted, by_name);
  if (last == nullptr || by_name.at(last->first).dim() == 0) return std::nullopt;
  const OtherHead head{.module = std::string(module_of(last->first)),
                       .given = by_name.at(last->first).size(0),
                       .classes = classes};
  const auto belongs = [&](const auto& item) { return head.has(item.first); };
  const auto own = std::count_if(wanted.begin(), wanted.end(), belongs);
  if (own == std::ssize(wanted) || own != std::count_if(given.begin(), given.end(), belongs)) {
    return std::nullopt;
  }
  for (const auto& [name, tensor] : wanted) {
    if (!head.has(name)) continue;
    const auto found = by_name.find(name);
    if (found == by_name.end() || !differ_in_rows(tensor, found->second) ||
        tensor.size(0) != classes || found->second.size(0) != head.given) {
      return std::nullopt;
    }
  }
  return head;
}

}  // namespace yoke
