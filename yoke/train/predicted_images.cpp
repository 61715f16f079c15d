#include "yoke/train/predicted_images.h"

#include <fmt/format.h>

#include "yoke/core/base64.h"
#include "yoke/core/error.h"
#include "yoke/data/formats/jpeg_write.h"

namespace yoke {
namespace {

bool is_picture(const ImageShape& shape) { return shape.channels == 1 || shape.channels == 3; }

/// A checkpoint may be of another version of the data.
bool is_of(const Dataset& dataset, const Sighting& sighting) {
  const std::int64_t classes = dataset.info().classes();
  return sighting.image >= 0 && sighting.image < dataset.size() && sighting.label >= 0 &&
         sighting.label < classes && sighting.predicted >= 0 && sighting.predicted < classes;
}

}  // namespace

std::vector<ImagePrediction> predicted_images(const Workload& workload, const RunState& state) {
  const Dataset& dataset = *workload.data.validation;
  const DatasetInfo& info = dataset.info();
  std::vector<ImagePrediction> images;
  if (!is_picture(info.image)) return images;
  std::vector<std::uint8_t> scratch;
  for (const auto& sighting : state.sightings) {
    if (!is_of(dataset, sighting)) continue;
    const auto pixels = dataset.pixels(sighting.image, scratch);
    const std::string name = dataset.name(sighting.image);
    if (workload.data.damage && workload.data.damage->contains(name)) continue;
    images.push_back({.name = name,
                      .label = info.class_names[static_cast<std::size_t>(sighting.label)],
                      .predicted = info.class_names[static_cast<std::size_t>(sighting.predicted)],
                      .probability = sighting.probability,
                      .jpeg = base64(write_jpeg(pixels, info.image))});
  }
  return images;
}

std::optional<std::string> keep_predictions(const RunDirectory& directory, const Workload& workload,
                                            const RunState& state) {
  try {
    const auto images = predicted_images(workload, state);
    if (!images.empty()) write_image_predictions(directory.predictions(), images);
    return std::nullopt;
  } catch (const Error& error) {
    return fmt::format("warning: the report will show no images: {}", error.what());
  }
}

}  // namespace yoke
