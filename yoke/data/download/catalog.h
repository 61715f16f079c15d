// yoke/data/download/catalog.h: which data sets can be fetched, from where, and how to know their
// files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yoke/data/download/digest.h"

namespace yoke {

/// A file on a server.
struct RemoteFile {
  std::string name;
  Digest digest;
  std::int64_t size_bytes = 0;  ///< 0 where its server alone knows it.
  std::int64_t most_bytes = 0;  ///< Then; 0 for no limit.
};

/// A file that unpacking an archive leaves.
struct UnpackedFile {
  std::string name;
  std::int64_t size_bytes = 0;
};

/// A data set or weights, as they are on servers and, of data in torchvision's layout, under
/// `--data-dir`.
struct RemoteFiles {
  std::string name;  ///< Of a data set, as in datasets.def.
  std::vector<std::string>
      mirrors;                     ///< Addresses that end with '/', to which file names are added.
  std::filesystem::path folder{};  ///< Where `files` belong, under `--data-dir`.
  std::vector<RemoteFile> files;
  std::filesystem::path unpacked_folder{};  ///< Empty unless `files` are archives: what they hold.
  std::vector<UnpackedFile> unpacked_files{};  ///< In `unpacked_folder`.

  std::int64_t size_bytes() const;  ///< Of all files to download.
  bool is_archive() const { return !unpacked_folder.empty(); }
};

/// Every data set that can be fetched.
std::span<const RemoteFiles> remote_datasets();

/// The data set `name` of them, or null.
const RemoteFiles* find_remote_dataset(std::string_view name);

/// Whether the program draws the data set `name` by itself.
bool is_built_in(std::string_view name);

}  // namespace yoke
