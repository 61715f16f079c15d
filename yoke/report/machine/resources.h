// yoke/report/machine/resources.h: samples what this process uses into resources.csv.
#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "yoke/core/files/file.h"
#include "yoke/report/machine/gpu_counters.h"
#include "yoke/report/machine/resource_counters.h"

namespace yoke {

/// Removes from the file the lines from `end_seconds` on, of `rank` or of all, and what a kill has
/// torn. One that is not there, or cannot be written, stays as it is.
void drop_resources(const std::filesystem::path& path, double end_seconds,
                    std::optional<int> rank = std::nullopt);

/// A thread that writes a line every `period`, and a last one when it is destroyed. With the first
/// of a period comes one of the sampler's start.
///
/// `cpu_percent` is over the time since the line before, 100 for each busy core; that of the start
/// has none. Disk and network count from the sampler's start, the network for the whole host. The
/// last two are of the GPUs that it is given, see GpuCounters. What the system does not tell is an
/// empty field. When a write fails, sampling ends and training goes on: see `error()`.
class ResourceSampler {
 public:
  /// Appends to `path`, with a header if it is new or empty. `first_second` is added to the seconds
  /// since now, for a resumed run.
  ResourceSampler(const std::filesystem::path& path, int rank,
                  std::chrono::milliseconds period = std::chrono::milliseconds(500),
                  double first_second = 0, GpuCounters gpus = GpuCounters());
  ~ResourceSampler();
  ResourceSampler(const ResourceSampler&) = delete;
  ResourceSampler& operator=(const ResourceSampler&) = delete;

  /// The largest resident memory of the samples so far.
  std::int64_t peak_rss_bytes() const { return peak_rss_bytes_; }
  /// Why sampling ended early, if it did.
  std::optional<std::string> error() const;

 private:
  void run();
  void sample();
  void write_start();
  void write(const std::string& line);

  const int rank_;
  const std::chrono::milliseconds period_;
  const double first_second_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const ResourceCounters counters_;
  const GpuCounters gpus_;
  const ResourceReading first_ = counters_.read();
  double last_seconds_ = 0;
  double last_cpu_seconds_ = first_.cpu_seconds;
  std::unique_ptr<FileDescriptor> file_;
  std::atomic<std::int64_t> peak_rss_bytes_ = 0;

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable wake_;
  bool stopping_ = false;
  std::optional<std::string> error_;
  std::thread thread_;  ///< Last: it uses the rest.
};

}  // namespace yoke
