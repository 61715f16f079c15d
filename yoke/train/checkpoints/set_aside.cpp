#include "yoke/train/checkpoints/set_aside.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/train/checkpoints/checkpoint.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLater = "later";

bool is_readable(const fs::path& checkpoint) {
  try {
    verify_checkpoint(checkpoint);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Whether the run's final weights are of a step after `step`, as far as its summary tells.
bool weights_are_later(const RunDirectory& directory, std::int64_t step) {
  if (!fs::exists(directory.weights())) return false;
  if (!fs::exists(directory.summary())) return true;
  const auto summary = nlohmann::json::parse(read_file(directory.summary()), nullptr, false);
  const auto steps = summary.is_object() ? summary.find("steps") : summary.end();
  return steps == summary.end() || !steps->is_number_integer() || steps->get<std::int64_t>() > step;
}

}  // namespace

void set_aside_after(const RunDirectory& directory, std::int64_t step,
                     const std::function<void(const std::string&)>& tell) {
  const auto aside = [&](const fs::path& path, const char* why) {
    tell(fmt::format("kept       {}, from after step {}", set_aside(path, why).string(), step));
  };
  bool any = weights_are_later(directory, step);
  if (any) {
    aside(directory.weights(), kLater);
    for (const auto& file : {directory.summary(), directory.predictions()}) {
      if (fs::exists(file)) set_aside(file, kLater);
    }
  }
  for (const auto& checkpoint : checkpoints_after(directory.checkpoints(), step)) {
    aside(checkpoint, is_readable(checkpoint) ? kLater : kUnreadable);
    any = true;
  }
  if (!any) return;
  for (const auto& file : {directory.metrics(), directory.phases(), directory.resources()}) {
    if (fs::exists(file)) write_file(path_aside(file, kLater), read_file(file));
  }
}

}  // namespace yoke
