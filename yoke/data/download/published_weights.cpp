#include "yoke/data/download/published_weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/system/shell.h"

namespace yoke {
namespace {

constexpr PublishedWeights kPublished[] = {
#define WEIGHTS(model, name, file, sha256, size_bytes, top1) \
  {model, name, file, sha256, size_bytes, top1},
#include "yoke/data/download/published_weights.def"
#undef WEIGHTS
};

constexpr const char* kFolder = "weights";    // under --data-dir
constexpr std::int64_t kMostRounding = 1024;  // of torchvision's sizes, in thousandths of a MiB

}  // namespace

std::string PublishedWeights::full_name() const { return fmt::format("{}:{}", model, name); }

RemoteFiles PublishedWeights::remote() const {
  return {.name = full_name(),
          .mirrors = {"https://download.pytorch.org/models/"},
          .folder = kFolder,
          .files = {{.name = std::string(file),
                     .digest = {.algorithm = "sha256", .digits = std::string(sha256)},
                     .size_bytes = exact() ? size_bytes : 0,
                     .most_bytes = exact() ? 0 : size_bytes + kMostRounding}}};
}

std::filesystem::path PublishedWeights::path(const std::filesystem::path& data_dir) const {
  return data_dir / kFolder / file;
}

std::string PublishedWeights::fetch_command(const std::filesystem::path& data_dir) const {
  return fmt::format("yoke weights fetch {} --data-dir {}", full_name(),
                     shell_line({data_dir.string()}));
}

std::span<const PublishedWeights> published_weights() { return kPublished; }

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& weights : kPublished) {
    if (std::find(names.begin(), names.end(), weights.name) == names.end()) {
      names.emplace_back(weights.name);
    }
  }
  return names;
}

const PublishedWeights& find_published_weights(std::string_view full_name) {
  std::vector<std::string> names;
  for (const auto& weights : kPublished) {
    names.push_back(weights.full_name());
    if (names.back() == full_name) return weights;
  }
  throw UsageError(
      fmt::format("there are no weights '{}'; {}", full_name, suggest(full_name, names)));
}

}  // namespace yoke
