// yoke/data/download/download.h: brings one file from the first of several mirrors that has it
// right.
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/data/download/digest.h"
#include "yoke/data/download/transfer.h"

namespace yoke {

/// A file to have, and how to know it.
struct Download {
  std::vector<std::string> urls;  ///< Tried in order; http, https or file.
  std::filesystem::path path;     ///< Where it belongs.
  Digest digest;
  std::int64_t size_bytes = 0;  ///< 0 when not known.
  std::int64_t most_bytes = 0;  ///< Where the size is not known; 0 for no limit.
};

/// How patient to be.
struct DownloadPolicy {
  int attempts = 3;  ///< Per mirror, counted anew after one that brought bytes.
  std::chrono::milliseconds pause{1'000};  ///< Before the second attempt; doubles with each.
  std::chrono::milliseconds connect_timeout{20'000};
  std::chrono::seconds stall_timeout{30};
};

/// Who watches; either may be empty.
struct DownloadObserver {
  /// Told what happens, one line without its end at a time.
  std::function<void(std::string_view line)> message;
  /// Told often while the file `name` arrives; `total_bytes` is 0 when not known.
  std::function<void(std::string_view name, std::int64_t done_bytes, std::int64_t total_bytes)>
      progress;
};

enum class DownloadOutcome { kAlreadyThere, kDownloaded };

/// Makes `file.path` be the file of that digest. A file that is there and right is kept; one that
/// is wrong is replaced once the right one is whole. Bytes go to `<path>.part`, which a later call
/// goes on with; nothing unfinished ever has the final name.
/// @throws Error when no mirror has it (each with its reason), or when it cannot be written.
DownloadOutcome download(const Download& file, const DownloadPolicy& policy,
                         const DownloadObserver& observer);

}  // namespace yoke
