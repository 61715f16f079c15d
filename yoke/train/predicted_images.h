// yoke/train/predicted_images.h: what a run keeps to show of its validation images.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "yoke/run/image_predictions.h"
#include "yoke/run/layout.h"
#include "yoke/train/checkpoints/run_state.h"
#include "yoke/train/workload.h"

namespace yoke {

/// The sightings of `state` with pictures and names; those of damaged files, which other images
/// stood in for, are left out, and so are all where the data are no pictures.
/// @throws Error when an image cannot be read.
std::vector<ImagePrediction> predicted_images(const Workload& workload, const RunState& state);

/// Writes them, if there are any; returns what to tell where that failed.
std::optional<std::string> keep_predictions(const RunDirectory& directory, const Workload& workload,
                                            const RunState& state);

}  // namespace yoke
