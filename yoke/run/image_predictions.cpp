#include "yoke/run/image_predictions.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "yoke/core/files/file.h"

namespace yoke {
namespace {

/// Whether `text` is base64 of what begins as JPEG files do: it goes into pages as it is.
bool is_jpeg(std::string_view text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  return text.starts_with("/9j/") && text.find_first_not_of(kLetters) == std::string_view::npos;
}

std::optional<std::string> text_of(const nlohmann::json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<ImagePrediction> prediction_of(std::string_view line) {
  const auto json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  const auto name = text_of(json, "name"), label = text_of(json, "label");
  const auto predicted = text_of(json, "predicted"), jpeg = text_of(json, "jpeg");
  const auto probability = json.find("probability");
  if (!name || !label || !predicted || !jpeg || !is_jpeg(*jpeg)) return std::nullopt;
  if (probability == json.end() || !probability->is_number()) return std::nullopt;
  const double value = probability->get<double>();
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  return ImagePrediction{*name, *label, *predicted, value, *jpeg};
}

}  // namespace

bool looked_at_before(const Answer& one, const Answer& other) {
  if (one.wrong != other.wrong) return one.wrong;
  return one.wrong ? one.probability > other.probability : one.probability < other.probability;
}

void write_image_predictions(const std::filesystem::path& path,
                             const std::vector<ImagePrediction>& images) {
  std::string text;
  for (const auto& image : images) {
    const nlohmann::ordered_json json = {{"name", image.name},
                                         {"label", image.label},
                                         {"predicted", image.predicted},
                                         {"probability", image.probability},
                                         {"jpeg", image.jpeg}};
    // Names of files may be of any bytes.
    text += json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }
  write_file(path, text);
}

Lines<ImagePrediction> read_image_predictions(const std::filesystem::path& path) {
  Lines<ImagePrediction> result;
  const std::string text = read_file(path);
  for (const auto line : whole_lines(text)) {
    if (auto prediction = prediction_of(line)) {
      result.lines.push_back(std::move(*prediction));
    } else {
      ++result.damaged;
    }
  }
  return result;
}

}  // namespace yoke
