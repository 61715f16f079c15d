// yoke/data/download/published_weights.h: which weights can be fetched by name, and where they lie
// then.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/data/download/catalog.h"

namespace yoke {

/// Weights of a model that torchvision publishes.
struct PublishedWeights {
  std::string_view model;  ///< As `--model` names it.
  /// After torchvision's: IMAGENET1K_V1 is `imagenet`, IMAGENET1K_V2 `imagenet-v2`.
  std::string_view name;
  std::string_view file;        ///< Its name.
  std::string_view sha256;      ///< All digits, or the eight that `file` has.
  std::int64_t size_bytes = 0;  ///< Exact with all digits; else torchvision's, to a thousandth MiB.
  double top1 = 0;  ///< Of ImageNet's validation images, in percent, as torchvision says.

  std::string full_name() const;  ///< `resnet50:imagenet`.

  /// Whether all digits of its SHA-256 and its exact size are known.
  bool exact() const { return sha256.size() == 64; }

  /// Where it is fetched from, and to.
  RemoteFiles remote() const;

  /// The file, fetched or not.
  std::filesystem::path path(const std::filesystem::path& data_dir) const;

  /// The command that brings it there.
  std::string fetch_command(const std::filesystem::path& data_dir) const;
};

/// Every one of published_weights.def.
std::span<const PublishedWeights> published_weights();

/// Their names without the model, each once.
std::vector<std::string> published_names();

/// The one of this full name. @throws UsageError where there is none, with the nearest.
const PublishedWeights& find_published_weights(std::string_view full_name);

}  // namespace yoke
