#include "yoke/train/config/image_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "yoke/core/error.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"

namespace yoke {
namespace {

[[noreturn]] void refuse(std::string_view flag, std::string_view text, std::string_view why) {
  throw UsageError(fmt::format(
      "{} is '{}'; {}; allowed: a size from 1 to {}, or sizes and the epochs from which on images "
      "have them, the first 0, as 0:96,6:128,14:160",
      flag, text, why, ImageSizes::kMost));
}

}  // namespace

ImageSizes ImageSizes::parse(std::string_view text, std::string_view flag) {
  ImageSizes sizes;
  sizes.text_ = std::string(text);
  for (const auto part : split(text, ',')) {
    const auto colon = part.find(':');
    const bool alone = colon == std::string_view::npos;
    const auto epoch = parse_number<std::int64_t>(alone ? "0" : part.substr(0, colon), 0);
    const auto size = parse_number<std::int64_t>(part.substr(alone ? 0 : colon + 1), 1, kMost);
    if (!epoch || !size) refuse(flag, text, fmt::format("'{}' is no epoch and size", part));
    if (sizes.stages_.empty() && *epoch != 0) refuse(flag, text, "it does not begin at epoch 0");
    if (!sizes.stages_.empty() && *epoch <= sizes.stages_.back().epoch) {
      refuse(flag, text, fmt::format("epoch {} is not after the one before", *epoch));
    }
    sizes.stages_.push_back({.epoch = *epoch, .size = *size});
  }
  return sizes;
}

std::int64_t ImageSizes::at(std::int64_t epoch) const {
  const auto next =
      std::upper_bound(stages_.begin(), stages_.end(), epoch,
                       [](std::int64_t value, const Stage& stage) { return value < stage.epoch; });
  return std::prev(next)->size;
}

std::vector<std::int64_t> ImageSizes::all() const {
  std::set<std::int64_t> sizes;
  for (const Stage& stage : stages_) sizes.insert(stage.size);
  return {sizes.begin(), sizes.end()};
}

}  // namespace yoke
