#include "yoke/train/checkpoints/weights_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/core/error.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/plugins/options.h"
#include "yoke/core/split.h"
#include "yoke/data/download/published_weights.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// Where the options of `text` begin, or its end: after the first colon, but after the second where
/// what is between them is no option, as in `resnet50:imagenet:skip=fc`.
std::size_t find_options(std::string_view text) {
  const auto first = std::min(text.find(':'), text.size());
  const auto second = std::min(text.find(':', first + 1), text.size());
  const bool is_name = text.substr(first, second - first).find('=') == std::string_view::npos;
  return is_name ? second : first;
}

/// The model and the name of published weights, or empty where `given` is a file.
std::string full_name_of(const std::string& given, std::string_view model) {
  if (given.find(':') != std::string::npos) return given;
  const auto names = published_names();
  const bool is_name = std::find(names.begin(), names.end(), given) != names.end();
  return is_name ? fmt::format("{}:{}", Choice::parse(model, "model").name, given) : "";
}

const PublishedWeights& find_weights(const std::string& full_name) {
  try {
    return find_published_weights(full_name);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}; a file is given as FILE or FILE:skip=MODULE", error.what()));
  }
}

fs::path published_file(const PublishedWeights& weights, const fs::path& data_dir) {
  fs::path path = weights.path(data_dir);
  if (fs::is_regular_file(path)) return path;
  throw UsageError(
      fmt::format("there is no {}, the file of weights '{}'; get it with `{}`, or give the folder "
                  "that it was fetched to as --data-dir",
                  path.string(), weights.full_name(), weights.fetch_command(data_dir)));
}

/// @throws UsageError where a name was meant.
fs::path given_file(const std::string& given) {
  const std::string nearest = nearest_name(given, published_names());
  if (nearest.empty() || fs::exists(given)) return given;
  throw UsageError(
      fmt::format("weights {}: there is no such file; did you mean '{}'?", given, nearest));
}

}  // namespace

WeightsChoice choose_weights(std::string_view text, std::string_view model,
                             const fs::path& data_dir) {
  const auto end = find_options(text);
  WeightsChoice chosen{.given = std::string(text.substr(0, end)), .file = {}, .skip = {}};
  Options options(text.substr(std::min(end + 1, text.size())),
                  fmt::format("weights '{}'", chosen.given));
  const std::string skipped = options.get("skip", std::string());
  options.finish();
  if (!skipped.empty()) {
    for (const auto name : split(skipped, '+')) chosen.skip.emplace_back(name);
  }
  const std::string full_name = full_name_of(chosen.given, model);
  if (full_name.empty()) {
    chosen.file = given_file(chosen.given);
  } else {
    const PublishedWeights& weights = find_weights(full_name);
    chosen.file = published_file(weights, data_dir);
    chosen.fetch_command = weights.fetch_command(data_dir);
  }
  return chosen;
}

}  // namespace yoke
