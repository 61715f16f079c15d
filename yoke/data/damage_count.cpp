#include "yoke/data/damage_count.h"

#include <fmt/format.h>

#include <utility>

#include "yoke/core/error.h"

namespace yoke {

void DamageCount::add(const std::string& file, std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (damaged_.insert(file).second) {
    lines_.push_back(fmt::format(
        "warning: {} is damaged ({}); another image of its class stands in for it", file, why));
  }
  const auto count = static_cast<double>(damaged_.size());
  if (count <= most_ * static_cast<double>(files_)) return;
  throw Error(fmt::format(
      "{} of {} images are damaged, the latest {} ({}), and at most {:g} % may be; get them "
      "afresh, or allow more by the data set's option damaged=FRACTION",
      damaged_.size(), files_, file, why, 100 * most_));
}

std::int64_t DamageCount::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(damaged_.size());
}

bool DamageCount::contains(const std::string& file) const {
  const std::lock_guard lock(mutex_);
  return damaged_.contains(file);
}

std::vector<std::string> DamageCount::take_lines() {
  const std::lock_guard lock(mutex_);
  return std::exchange(lines_, {});
}

}  // namespace yoke
