// yoke/run/confidence_bins.h: how often a model is right where it is so sure, as files have it.
#pragma once
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace yoke {

/// Images of which a model is about as sure. Their confidence, the probability of the likeliest
/// class, lies in bin m = 1, ..., M of M equal ones: in ((m - 1) / M, m / M].
struct ConfidenceBin {
  std::int64_t images = 0;
  double confidence = kNone;  ///< Mean over the images, in [0, 1]; NaN without any.
  double accuracy = kNone;    ///< Fraction of the images; NaN without any.

  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
};

/// Mean over the images of all bins of what `of` says of an image's bin; NaN without images.
double mean_over_images(const std::vector<ConfidenceBin>& bins, double (*of)(const ConfidenceBin&));

/// How far accuracy and confidence of a bin are apart, as a mean over images, in [0, 1]; NaN
/// without any (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017, eq. 3).
double expected_calibration_error(const std::vector<ConfidenceBin>& bins);

/// A list of an object for each bin; means without images are null.
nlohmann::ordered_json confidence_bins_json(const std::vector<ConfidenceBin>& bins);

/// Reads that; empty where it is something else.
std::vector<ConfidenceBin> confidence_bins_from(const nlohmann::json& json);

}  // namespace yoke
