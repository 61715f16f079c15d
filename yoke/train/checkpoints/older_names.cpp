#include "yoke/train/checkpoints/older_names.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace yoke {
namespace {

constexpr std::pair<std::string_view, std::string_view> kOlderParts[] = {
    {".norm.1.", ".norm1."},
    {".norm.2.", ".norm2."},
    {".conv.1.", ".conv1."},
    {".conv.2.", ".conv2."},
};

std::string newer_name(std::string name) {
  for (const auto& [older, newer] : kOlderParts) {
    const auto place = name.find(older);
    if (place != std::string::npos) name.replace(place, older.size(), newer);
  }
  return name;
}

}  // namespace

void take_newer_names(NamedTensors& given, const NamedTensors& wanted) {
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : wanted) names.insert(name);
  for (auto& [name, tensor] : given) {
    const std::string newer = newer_name(name);
    if (!names.contains(name) && names.contains(newer)) name = newer;
  }
}

}  // namespace yoke
