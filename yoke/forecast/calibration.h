// yoke/forecast/calibration.h: what was measured of a machine and a training on it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "yoke/forecast/case.h"
#include "yoke/forecast/interpolate.h"

namespace yoke::forecast {

/// Steps of one rank by itself, with one number of images.
struct BatchTimes {
  std::int64_t images = 0;
  std::int64_t samples = 0;
  double mean = 0, lower = 0, upper = 0;  ///< Seconds; quartiles.
  double spread = 0;              ///< Standard deviation of the logarithm: spread_of_samples().
  double data_wait = 0;           ///< Seconds of the mean that waited for the loader.
  double gradient = 0;            ///< Seconds of forward and backward alone.
  std::int64_t memory_bytes = 0;  ///< Of the process after these steps.
};

/// Ranks that computed beside each other, each on its own cores.
struct Layout {
  int ranks = 1, threads = 1;            ///< Threads of each.
  std::vector<BatchTimes> batches = {};  ///< Images ascending; at least one.
  std::vector<double> ready = {};        ///< See cut_gradient(); by parameter.
};

/// How long a communicator takes for sums over ranks of this machine: bytes and seconds.
struct CommunicatorTimes {
  std::string name;
  int ranks = 2;
  std::vector<Point> points = {};  ///< Medians; bytes ascending.
  std::vector<Point> least = {};   ///< The shortest of the same sizes.

  /// In the typical case the line through the medians; in the low one that of the shortest where it
  /// is below, and in the high one as far above.
  Link fit(Case which) const;
};

/// A checkpoint of the training.
struct CheckpointTimes {
  double pause = 0;  ///< Seconds that the run waits.
  double write = 0;  ///< Seconds until it is on the disk.
  std::int64_t bytes = 0;
};

/// Everything that predictions begin with.
struct Calibration {
  std::string date;  ///< `2026-01-31 12:00 UTC`.
  std::string host = {}, cpu = {};
  int cores = 1;  ///< Whole ones that a process may use.
  std::map<std::string, std::string> versions =
      {};  ///< As versions() of yoke/report/machine/hardware.h.
  std::map<std::string, std::string> flags = {};  ///< That decide a step: `--model`, ...

  std::int64_t train_images = 0;
  std::vector<std::int64_t> parameters =
      {};  ///< Elements of each, in the order of the flat vector.
  std::int64_t optimizer_state_bytes = 0;
  double loader_images_per_second = 0;  ///< With nothing else to do; for people.
  CheckpointTimes checkpoint = {};
  std::vector<Layout> layouts = {};
  std::vector<CommunicatorTimes> communicators = {};

  /// Parameters in all.
  std::int64_t parameter_count() const;
  /// Null where it was not measured.
  const Layout* find_layout(int ranks, int threads) const;
  /// That of the largest number of ranks up to `ranks`, else of the smallest. @throws UsageError
  /// that says what was measured where `name` was not.
  const CommunicatorTimes& communicator(const std::string& name, int ranks) const;
};

}  // namespace yoke::forecast
