#include "yoke/train/checkpoints/tensor_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace yoke {
namespace {

constexpr std::size_t kMostListed = 8;

/// `heading: a, b and 3 more` on a line of its own, or nothing where there are no items.
std::string list_items(const char* heading, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  const auto shown = std::min(items.size(), kMostListed);
  auto text = fmt::format("\n  {}: {}", heading,
                          fmt::join(items.begin(), items.begin() + static_cast<long>(shown), ", "));
  if (items.size() > shown) text += fmt::format(" and {} more", items.size() - shown);
  return text;
}

}  // namespace

TensorDifferences::TensorDifferences(const NamedTensors& wanted, const NamedTensors& given,
                                     Describe describe) {
  std::map<std::string, torch::Tensor> rest(given.begin(), given.end());
  for (const auto& [name, tensor] : wanted) {
    const auto found = rest.find(name);
    if (found == rest.end()) {
      missing_.push_back(name);
      continue;
    }
    const auto expected = describe(tensor), actual = describe(found->second);
    if (actual != expected) {
      different_.push_back(name);
      changes_.push_back(fmt::format("{} is {}, the model wants {}", name, actual, expected));
    }
    rest.erase(found);
  }
  for (const auto& [name, tensor] : rest) unexpected_.push_back(name);
}

std::string TensorDifferences::text() const {
  return list_items("missing", missing_) + list_items("unexpected", unexpected_) +
         list_items("different", changes_);
}

std::set<std::string> TensorDifferences::modules() const {
  std::set<std::string> modules;
  for (const auto* names : {&missing_, &unexpected_, &different_}) {
    for (const auto& name : *names) modules.insert(name.substr(0, name.rfind('.')));
  }
  return modules;
}

}  // namespace yoke
