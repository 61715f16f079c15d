#include "yoke/data/download/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/format.h"

namespace yoke {
namespace {

/// The attempts at one mirror.
class Mirror {
 public:
  Mirror(const Download& file, const std::string& url, const DownloadPolicy& policy,
         const DownloadObserver& observer, PartFile& part)
      : file_(file), policy_(policy), observer_(observer), part_(part) {
    request_.url = url;
    request_.size_bytes = file.size_bytes;
    request_.most_bytes = file.most_bytes;
    request_.connect_timeout = policy.connect_timeout;
    request_.stall_timeout = policy.stall_timeout;
    if (observer.progress) {
      request_.progress = [this](std::int64_t done, std::int64_t total) {
        observer_.progress(file_.path.filename().string(), done, total);
      };
    }
  }

  /// Fills the part file; returns why that failed, or nothing when it is whole and right.
  std::string fetch() {
    bool inherited = part_.size_bytes() > 0;  // bytes of an earlier call or another mirror
    for (;;) {
      std::string reason = complete(inherited);
      if (!reason.empty()) return reason;
      const char* const algorithm = file_.digest.algorithm;
      const std::string found = part_.digest(algorithm);
      if (file_.digest.is(found)) return "";
      part_.clear();
      if (!inherited) {
        return fmt::format("{} is {}, expected {}", algorithm, found, file_.digest.str());
      }
      say("what was there of it is not of the same file: starting over");
      inherited = false;
    }
  }

 private:
  std::string complete(bool& inherited) {
    int failures = 0;
    std::int64_t most_bytes = part_.size_bytes();
    for (;;) {
      if (file_.size_bytes > 0 && part_.size_bytes() > file_.size_bytes) part_.clear();
      if (file_.size_bytes > 0 && part_.size_bytes() == file_.size_bytes) return "";
      const TransferResult result = transfer(request_, part_);
      if (result.start_bytes == 0) inherited = false;
      if (result.end == TransferEnd::kComplete) return "";
      if (result.end == TransferEnd::kRefused) return result.reason;
      if (result.end == TransferEnd::kStale) {
        if (file_.digest.is(part_.digest(file_.digest.algorithm))) return "";
        part_.clear();
        if (std::exchange(inherited, false)) continue;
      }
      if (part_.size_bytes() > most_bytes) failures = 0;
      most_bytes = std::max(most_bytes, part_.size_bytes());
      if (++failures >= policy_.attempts) return result.reason;
      pause(result, failures);
    }
  }

  void pause(const TransferResult& result, int failures) const {
    const auto pause = policy_.pause * (1 << std::min(failures - 1, 6));
    say(fmt::format(
        "{}; trying again in {} s, {}", result.reason, std::chrono::duration<double>(pause).count(),
        part_.size_bytes() == 0 ? "from the start"
                                : fmt::format("from {}", format_bytes(part_.size_bytes()))));
    std::this_thread::sleep_for(pause);
  }

  void say(const std::string& text) const {
    if (observer_.message) observer_.message(fmt::format("{}: {}", request_.url, text));
  }

  const Download& file_;
  const DownloadPolicy& policy_;
  const DownloadObserver& observer_;
  PartFile& part_;
  TransferRequest request_;
};

bool is_there(const Download& file, const DownloadObserver& observer) {
  if (!std::filesystem::exists(file.path)) return false;
  if (!std::filesystem::is_regular_file(file.path)) {
    throw Error(fmt::format("{} is in the way: a file should be there; move it elsewhere",
                            file.path.string()));
  }
  const char* const algorithm = file.digest.algorithm;
  const std::string found = file_checksum(algorithm, file.path);
  if (file.digest.is(found)) return true;
  if (observer.message) {
    observer.message(fmt::format("{} is damaged ({} is {}, expected {}): fetching it anew",
                                 file.path.string(), algorithm, found, file.digest.str()));
  }
  return false;
}

}  // namespace

DownloadOutcome download(const Download& file, const DownloadPolicy& policy,
                         const DownloadObserver& observer) {
  if (is_there(file, observer)) return DownloadOutcome::kAlreadyThere;
  PartFile part(file.path);
  std::string failures;
  for (const auto& url : file.urls) {
    const std::string reason = Mirror(file, url, policy, observer, part).fetch();
    if (reason.empty()) {
      part.publish();
      return DownloadOutcome::kDownloaded;
    }
    failures += fmt::format("\n  {}: {}", url, reason);
    if (observer.message && &url != &file.urls.back()) {
      observer.message(fmt::format("{}: {}; trying the next mirror", url, reason));
    }
  }
  throw Error(
      fmt::format("cannot download {}:{}\nTry again later, name another source with "
                  "--mirror URL, or bring the file ({} {}) to {} by hand",
                  file.path.filename().string(), failures, file.digest.algorithm, file.digest.str(),
                  file.path.string()));
}

}  // namespace yoke
