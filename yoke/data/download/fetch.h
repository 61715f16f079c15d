// yoke/data/download/fetch.h: brings the files of a data set, or weights, into --data-dir.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/data/download/catalog.h"
#include "yoke/data/download/download.h"

namespace yoke {

/// Where to put files and where to get them.
struct FetchInput {
  std::filesystem::path data_dir;  ///< Made when absent.
  /// Address, or folder of this machine, tried first, with a file's name added, then with its place
  /// under --data-dir added; empty for none.
  std::string mirror;
  DownloadPolicy policy;
};

/// Downloads, checks and unpacks what is missing of `remote`; returns the folder that holds it.
/// @throws UsageError when the mirror is neither an http, https or file address nor a folder; Error
/// as download() and unpack().
std::filesystem::path fetch(const RemoteFiles& remote, const FetchInput& input,
                            const DownloadObserver& observer);

}  // namespace yoke
