#include "yoke/run/confidence_bins.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace yoke {
namespace {

constexpr const char* kImages = "images";
constexpr const char* kConfidence = "confidence";
constexpr const char* kAccuracy = "accuracy";

std::optional<double> fraction(const nlohmann::json& bin, const char* name) {
  const auto found = bin.find(name);
  if (found == bin.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

std::optional<ConfidenceBin> bin_from(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto images = json.find(kImages);
  if (images == json.end() || !images->is_number_integer()) return std::nullopt;
  const auto count = images->get<std::int64_t>();
  if (count == 0) return ConfidenceBin();
  const auto confidence = fraction(json, kConfidence), accuracy = fraction(json, kAccuracy);
  if (count < 0 || !confidence || !accuracy) return std::nullopt;
  return ConfidenceBin{.images = count, .confidence = *confidence, .accuracy = *accuracy};
}

}  // namespace

double mean_over_images(const std::vector<ConfidenceBin>& bins,
                        double (*of)(const ConfidenceBin&)) {
  double sum = 0, images = 0;
  for (const auto& bin : bins) {
    if (bin.images == 0) continue;
    sum += static_cast<double>(bin.images) * of(bin);
    images += static_cast<double>(bin.images);
  }
  return sum / images;
}

double expected_calibration_error(const std::vector<ConfidenceBin>& bins) {
  return mean_over_images(
      bins, [](const ConfidenceBin& bin) { return std::abs(bin.accuracy - bin.confidence); });
}

nlohmann::ordered_json confidence_bins_json(const std::vector<ConfidenceBin>& bins) {
  using Json = nlohmann::ordered_json;
  Json json = Json::array();
  for (const auto& bin : bins) {
    const auto mean = [&](double value) { return bin.images > 0 ? Json(value) : Json(); };
    json.push_back({{kImages, bin.images},
                    {kConfidence, mean(bin.confidence)},
                    {kAccuracy, mean(bin.accuracy)}});
  }
  return json;
}

std::vector<ConfidenceBin> confidence_bins_from(const nlohmann::json& json) {
  std::vector<ConfidenceBin> bins;
  if (!json.is_array()) return bins;
  for (const auto& entry : json) {
    const auto bin = bin_from(entry);
    if (!bin) return {};
    bins.push_back(*bin);
  }
  return bins;
}

}  // namespace yoke
