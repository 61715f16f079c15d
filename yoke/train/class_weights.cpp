#include "yoke/train/class_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/core/format.h"
#include "yoke/core/nearest_name.h"
#include "yoke/core/parse_number.h"
#include "yoke/core/split.h"
#include "yoke/data/statistics.h"

namespace yoke {
namespace {

constexpr const char* kBalanced = "balanced";
constexpr float kMostWeight = 1e6F;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

torch::Tensor balanced_weights(const Dataset& train) {
  const std::int64_t classes = train.info().classes();
  const std::vector<std::int64_t> images = class_counts(train);
  const auto present = static_cast<double>(
      std::count_if(images.begin(), images.end(), [](std::int64_t count) { return count > 0; }));
  auto weights = torch::ones({classes});
  auto* const values = weights.data_ptr<float>();
  for (std::size_t c = 0; c < images.size(); ++c) {
    if (images[c] == 0) continue;
    values[c] = static_cast<float>(static_cast<double>(train.size()) /
                                   (present * static_cast<double>(images[c])));
  }
  return weights;
}

/// The weights of a file, a class at a time.
class WeightFile {
 public:
  WeightFile(std::string flag, std::string path, const DatasetInfo& data)
      : flag_(std::move(flag)),
        path_(std::move(path)),
        data_(data),
        given_(data.class_names.size(), false) {}

  torch::Tensor read() {
    std::int64_t number = 0;
    const std::string text = read_file(path_);
    for (const auto line : split(text, '\n')) {
      ++number;
      if (!trimmed(line).empty()) take(number, trimmed(line));
    }
    if (weights_.max().item<float>() > 0) return weights_;
    throw UsageError(
        fmt::format("--{} {}: all classes weigh 0, so that nothing is to be learned; give at least "
                    "one a number above 0",
                    flag_, path_));
  }

 private:
  void take(std::int64_t number, std::string_view line) {
    const auto space = line.find_last_of(" \t,");
    const bool two = space != std::string_view::npos;
    const auto weight = parse_number<float>(line.substr(two ? space + 1 : 0), 0, kMostWeight);
    std::string_view name = trimmed(line.substr(0, two ? space : 0));
    if (name.ends_with(',')) name = trimmed(name.substr(0, name.size() - 1));
    if (!weight || name.empty()) {
      fail(number, fmt::format("'{}' is no class and number; give a class's name and a number from "
                               "0 to {}, as in 'cat 2.5'",
                               line, kMostWeight));
    }
    const auto& names = data_.class_names;
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      fail(number, fmt::format("data set '{}' has no class '{}'; {}", data_.name, name,
                               suggest(std::string(name), names)));
    }
    const auto c = static_cast<std::size_t>(found - names.begin());
    if (given_[c]) fail(number, fmt::format("class '{}' has a weight already; give one", name));
    given_[c] = true;
    weights_.data_ptr<float>()[c] = *weight;
  }

  [[noreturn]] void fail(std::int64_t number, const std::string& what) const {
    throw UsageError(fmt::format("--{} {}:{}: {}", flag_, path_, number, what));
  }

  const std::string flag_, path_;
  const DatasetInfo& data_;
  std::vector<bool> given_;
  torch::Tensor weights_ = torch::ones({data_.classes()});
};

}  // namespace

torch::Tensor class_weights_of(const std::string& flag, const std::string& text,
                               const Dataset& train) {
  if (text.empty()) return {};
  if (text == kBalanced) return balanced_weights(train);
  if (std::filesystem::is_regular_file(text)) return WeightFile(flag, text, train.info()).read();
  throw UsageError(
      fmt::format("--{} is '{}', which is no file; allowed: {}, or a file with a line for each "
                  "class, its name and what it weighs",
                  flag, text, kBalanced));
}

std::vector<double> weights_of_images(const torch::Tensor& class_weights, const Dataset& train) {
  const auto* const weights = class_weights.data_ptr<float>();
  std::vector<double> result(static_cast<std::size_t>(train.size()), 1);
  for (std::int64_t i = 0; i < train.size(); ++i) {
    const std::int64_t label = train.label(i);  // a loader says of which image it is wrong
    if (label < 0 || label >= class_weights.numel()) continue;
    result[static_cast<std::size_t>(i)] = weights[label];
  }
  return result;
}

std::string class_weights_setting(const std::string& text) {
  if (text.empty() || text == kBalanced || !std::filesystem::is_regular_file(text)) return text;
  return fmt::format("{} of the SHA-256 {}", text, file_checksum("sha256", text));
}

}  // namespace yoke
