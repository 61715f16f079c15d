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

/// A path beside `path` for it to be set aside under, which is free.
fs::path free_name(const fs::path& path, const std::string& why) {
  const std::string name = path.filename().string();
  fs::path free = path.parent_path() / fmt::format("{}-{}", why, name);
  for (int number = 2; fs::exists(fs::symlink_status(free)); ++number) {
    free = path.parent_path() / fmt::format("{}-{}-{}", why, number, name);
  }
  return free;
}

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

fs::path set_aside(const fs::path& path, const std::string& why) {
  const fs::path aside = free_name(path, why);
  std::error_code failed;
  fs::rename(path, aside, failed);
  if (!failed) return aside;
  throw Error(fmt::format("cannot set {} aside as {}: {}", path.string(), aside.filename().string(),
                          failed.message()));
}

void set_aside_after(const RunDirectory& directory, std::int64_t step,
                     const std::function<void(const std::string&)>& tell) {
  const auto aside = [&](const fs::path& path, const char* why) {
    tell(fmt::format("kept       {}, from after step {}", set_aside(path, why).string(), step));
  };
  bool any = weights_are_later(directory, step);
  if (any) {
    aside(directory.weights(), kLater);
    if (fs::exists(directory.summary())) set_aside(directory.summary(), kLater);
  }
  for (const auto& checkpoint : checkpoints_after(directory.checkpoints(), step)) {
    aside(checkpoint, is_readable(checkpoint) ? kLater : kUnreadable);
    any = true;
  }
  if (!any) return;
  for (const auto& file : {directory.metrics(), directory.phases(), directory.resources()}) {
    if (fs::exists(file)) write_file(free_name(file, kLater), read_file(file));
  }
}

}  // namespace yoke
