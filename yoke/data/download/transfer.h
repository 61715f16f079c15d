// yoke/data/download/transfer.h: one request for the rest of a file (libcurl).
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "yoke/data/download/part_file.h"

namespace yoke {

/// Told while bytes arrive: how many there are and how many there will be, 0 when not known.
using TransferProgress = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

/// What to ask for, and when to give up.
struct TransferRequest {
  std::string url;              ///< http, https or file.
  std::int64_t size_bytes = 0;  ///< Of the whole file, 0 when not known.
  std::int64_t most_bytes = 0;  ///< Where it is not known; 0 for no limit.
  std::chrono::milliseconds connect_timeout{20'000};
  std::chrono::seconds stall_timeout{30};  ///< Broken off when slower than 100 bytes/s for so long.
  TransferProgress progress;               ///< May be empty.
};

/// How a transfer ended.
enum class TransferEnd {
  kComplete,  ///< All bytes the server has are in the file; whether they are right is not checked.
  kBroken,    ///< The link or the server failed; another try may do better.
  kRefused,   ///< This server does not have the file.
  kStale,     ///< The server cannot go on from the bytes there are; start over.
};

struct TransferResult {
  TransferEnd end = TransferEnd::kComplete;
  std::int64_t start_bytes = 0;  ///< Where the transfer went on; 0 when it began anew.
  std::string reason;            ///< Why it is not complete.
};

/// Appends to `file` the bytes of `request.url` after those it has; begins anew where the server
/// ignores ranges. Follows redirects.
/// @throws Error when the file cannot be written.
TransferResult transfer(const TransferRequest& request, PartFile& file);

}  // namespace yoke
