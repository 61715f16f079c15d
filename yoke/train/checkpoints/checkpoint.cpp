#include "yoke/train/checkpoints/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/files/atomic.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors.h"
#include "yoke/core/parse_number.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/set_aside.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kState = "state.json";
constexpr const char* kManifest = "manifest.json";

WrittenFile write_json(const fs::path& path, const json& value) {
  const auto text = value.dump(2) + "\n";
  const auto bytes = std::as_bytes(std::span(text));
  write_synced(path, bytes);
  return {.size_bytes = bytes.size(), .sha256 = checksum("sha256", bytes)};
}

json read_json(const fs::path& path) {
  try {
    return json::parse(read_file(path));
  } catch (const json::exception& error) {
    throw Error(fmt::format("{} is not JSON: {}", path.string(), error.what()));
  }
}

json manifest_entry(const WrittenFile& file) {
  return {{"size_bytes", file.size_bytes}, {"sha256", file.sha256}};
}

void write_files(const fs::path& directory, const Checkpoint& checkpoint) {
  std::error_code failed;
  if (!fs::create_directory(directory, failed)) {
    throw Error(fmt::format("cannot make {}: {}", directory.string(), failed.message()));
  }
  json files;
  files[kWeightsFile] = manifest_entry(
      write_safetensors(directory / kWeightsFile, checkpoint.model, checkpoint.metadata));
  files[kOptimizer] =
      manifest_entry(write_safetensors(directory / kOptimizer, checkpoint.optimizer));
  files[kState] = manifest_entry(write_json(directory / kState, checkpoint.state));
  write_json(directory / kManifest,
             {{"format", kFormat}, {"step", checkpoint.step}, {"files", files}});
}

void verify_file(const fs::path& path, const json& expected) {
  std::error_code failed;
  const auto size = fs::file_size(path, failed);
  if (failed) throw Error(fmt::format("cannot read {}: {}", path.string(), failed.message()));
  const auto expected_size = expected.at("size_bytes").get<std::uint64_t>();
  if (size != expected_size) {
    throw Error(fmt::format("{} has {} bytes, expected {}", path.string(), size, expected_size));
  }
  const auto sum = file_checksum("sha256", path);
  const auto expected_sum = expected.at("sha256").get<std::string>();
  if (sum != expected_sum) {
    throw Error(
        fmt::format("{} has the sha256 sum {}, expected {}", path.string(), sum, expected_sum));
  }
}

/// The manifest's step, after all files were compared with it.
std::int64_t verified_step(const fs::path& directory) {
  try {
    const auto manifest = read_json(directory / kManifest);
    const auto format = manifest.at("format").get<int>();
    if (format != kFormat) {
      throw Error(fmt::format("{} has format {}, this program reads {}",
                              (directory / kManifest).string(), format, kFormat));
    }
    for (const auto* const name : {kWeightsFile, kOptimizer, kState}) {
      verify_file(directory / name, manifest.at("files").at(name));
    }
    return manifest.at("step").get<std::int64_t>();
  } catch (const json::exception& error) {
    throw Error(
        fmt::format("{} lacks an entry: {}", (directory / kManifest).string(), error.what()));
  }
}

/// Runs `read`, saying of its failures whose they are.
template <typename Read>
auto naming(const fs::path& directory, const Read& read) {
  try {
    return read();
  } catch (const std::exception& error) {
    throw Error(fmt::format("the checkpoint {} is damaged: {}", directory.string(), error.what()));
  }
}

}  // namespace

std::optional<std::int64_t> checkpoint_step(const fs::path& step_directory) {
  constexpr std::string_view kPrefix = kStepPrefix;
  const auto name = step_directory.filename().string();
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return parse_number<std::int64_t>(std::string_view(name).substr(kPrefix.size()), 0);
}

fs::path write_checkpoint(const fs::path& directory, const Checkpoint& checkpoint) {
  const auto target = directory / fmt::format("{}{:08}", kStepPrefix, checkpoint.step);
  std::error_code failed;
  if (fs::create_directories(directory, failed)) {
    sync_directory(fs::absolute(directory).parent_path());
  }
  if (failed) throw Error(fmt::format("cannot make {}: {}", directory.string(), failed.message()));
  if (fs::exists(target)) {
    try {
      verify_checkpoint(target);
      return target;
    } catch (const Error&) {
      set_aside(target, kUnreadable);
    }
  }
  write_atomically(target, [&](const fs::path& temporary) {
    write_files(temporary, checkpoint);
    verify_checkpoint(temporary);
  });
  return target;
}

void verify_checkpoint(const fs::path& step_directory) {
  naming(step_directory, [&] { return verified_step(step_directory); });
}

Checkpoint read_checkpoint(const fs::path& step_directory) {
  return naming(step_directory, [&] {
    return Checkpoint{.step = verified_step(step_directory),
                      .model = read_safetensors(step_directory / kWeightsFile),
                      .optimizer = read_safetensors(step_directory / kOptimizer),
                      .state = read_json(step_directory / kState)};
  });
}

std::vector<fs::path> list_checkpoints(const fs::path& directory) {
  std::vector<std::pair<std::int64_t, fs::path>> found;
  std::error_code failed;
  for (fs::directory_iterator entry(directory, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const auto step = checkpoint_step(entry->path());
    if (step) found.emplace_back(*step, entry->path());
  }
  const bool is_absent =
      failed == std::errc::no_such_file_or_directory || failed == std::errc::not_a_directory;
  if (failed && !is_absent) {
    throw Error(fmt::format("cannot read {}: {}; try again when it can be read", directory.string(),
                            failed.message()));
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<fs::path> paths;
  for (auto& [step, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::vector<fs::path> checkpoints_after(const fs::path& directory, std::int64_t step) {
  auto found = list_checkpoints(directory);
  std::erase_if(found, [&](const fs::path& path) { return *checkpoint_step(path) <= step; });
  return found;
}

std::optional<Checkpoint> read_newest_good(const fs::path& directory, const DamageReport& damaged) {
  for (const auto& path : list_checkpoints(directory)) {
    try {
      return read_checkpoint(path);
    } catch (const Error& error) {
      damaged(error.what());
    }
  }
  return std::nullopt;
}

}  // namespace yoke
