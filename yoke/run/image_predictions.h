// yoke/run/image_predictions.h: predictions.jsonl, the validation images that deserve a look.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "yoke/run/lines.h"

namespace yoke {

/// A model's answer for an image whose class is known.
struct Answer {
  bool wrong = false;
  double probability = 0;  ///< Of the class it names, in [0, 1].
};

/// Whether an image deserves a look before another: mistakes do, the surest first; then the least
/// certain of the right answers.
bool looked_at_before(const Answer& one, const Answer& other);

/// Mistakes that a run keeps, and right answers.
inline constexpr std::size_t kMostKept = 24;

/// A validation image, and what the run's weights make of it.
struct ImagePrediction {
  std::string name;        ///< Its file, or its number.
  std::string label;       ///< Its class.
  std::string predicted;   ///< The likeliest class.
  double probability = 0;  ///< Of that, in [0, 1].
  std::string jpeg;        ///< A small picture of it, a JPEG file in base64.

  Answer answer() const { return {.wrong = predicted != label, .probability = probability}; }
};

/// Writes predictions.jsonl, a JSON object per image. @throws Error.
void write_image_predictions(const std::filesystem::path& path,
                             const std::vector<ImagePrediction>& images);

/// Reads it. A line is damaged unless it has all fields, in their ranges, and the picture is JPEG.
/// @throws Error when it cannot be read.
Lines<ImagePrediction> read_image_predictions(const std::filesystem::path& path);

}  // namespace yoke
