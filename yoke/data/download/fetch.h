// yoke/data/download/fetch.h: brings the files of a data set into --data-dir.
#pragma once
#include <filesystem>
#include <string>

#include "yoke/data/download/catalog.h"
#include "yoke/data/download/download.h"

namespace yoke {

/// Where to put a data set and where to get it.
struct FetchInput {
  std::filesystem::path data_dir;  ///< Made when absent.
  std::string mirror;  ///< Address tried first, with a file's name added, then with its place under
                       ///< --data-dir added; empty for none.
  DownloadPolicy policy;
};

/// Downloads, checks and unpacks what is missing of `dataset`; returns the folder that holds it.
/// @throws UsageError when the mirror is not an http, https or file address; Error as download()
/// and unpack().
std::filesystem::path fetch(const RemoteDataset& dataset, const FetchInput& input,
                            const DownloadObserver& observer);

}  // namespace yoke
