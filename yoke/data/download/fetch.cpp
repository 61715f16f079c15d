#include "yoke/data/download/fetch.h"

#include <fmt/format.h>

#include <system_error>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/temporary_folder.h"
#include "yoke/core/format.h"
#include "yoke/data/download/unpack.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

std::string with_slash(std::string address) {
  if (!address.ends_with('/')) address += '/';
  return address;
}

void check_mirror(const std::string& mirror) {
  for (const char* const scheme : {"http://", "https://", "file:///"}) {
    if (mirror.starts_with(scheme)) return;
  }
  throw UsageError(
      fmt::format("--mirror {} is not an address; it must begin with http://, https:// "
                  "or, for a folder of this machine, file:///",
                  mirror));
}

std::vector<std::string> addresses(const RemoteDataset& dataset, const RemoteFile& file,
                                   const std::string& mirror) {
  std::vector<std::string> urls;
  if (!mirror.empty()) {
    urls.push_back(with_slash(mirror) + file.name);
    if (!dataset.folder.empty()) {
      urls.push_back(with_slash(mirror) + (dataset.folder / file.name).generic_string());
    }
  }
  for (const auto& base : dataset.mirrors) urls.push_back(base + file.name);
  return urls;
}

bool is_unpacked(const RemoteDataset& dataset, const fs::path& data_dir) {
  for (const auto& file : dataset.unpacked_files) {
    std::error_code error;
    const auto size = fs::file_size(data_dir / dataset.unpacked_folder / file.name, error);
    if (error || static_cast<std::int64_t>(size) != file.size_bytes) return false;
  }
  return dataset.is_archive();
}

void unpack_all(const RemoteDataset& dataset, const fs::path& data_dir) {
  const TemporaryFolder workshop(data_dir / ".unpack-");  // beside the final folder
  const fs::path fresh = workshop.path() / "new";
  for (const auto& file : dataset.files) unpack(data_dir / dataset.folder / file.name, fresh);
  if (!is_unpacked(dataset, fresh)) {
    throw Error(
        fmt::format("{} does not hold the files of {}", dataset.files.front().name, dataset.name));
  }
  const fs::path target = data_dir / dataset.unpacked_folder;
  std::error_code error;
  if (fs::exists(target)) fs::rename(target, workshop.path() / "old", error);
  if (!error) fs::rename(fresh / dataset.unpacked_folder, target, error);
  if (error) throw Error(fmt::format("cannot replace {}: {}", target.string(), error.message()));
  sync_directory(data_dir);
}

}  // namespace

fs::path fetch(const RemoteDataset& dataset, const FetchInput& input,
               const DownloadObserver& observer) {
  const auto say = [&](const std::string& line) {
    if (observer.message) observer.message(line);
  };
  if (!input.mirror.empty()) check_mirror(input.mirror);
  fs::path unpacked = input.data_dir / dataset.unpacked_folder;
  if (is_unpacked(dataset, input.data_dir)) {
    say(fmt::format("{}: already there", unpacked.string()));
    return unpacked;
  }
  for (const auto& file : dataset.files) {
    const fs::path path = input.data_dir / dataset.folder / file.name;
    const auto outcome = download({.urls = addresses(dataset, file, input.mirror),
                                   .path = path,
                                   .md5 = file.md5,
                                   .size_bytes = file.size_bytes},
                                  input.policy, observer);
    say(fmt::format("{}: {}, md5 is right", path.string(),
                    outcome == DownloadOutcome::kAlreadyThere ? "already there"
                                                              : format_bytes(file.size_bytes)));
  }
  if (!dataset.is_archive()) return input.data_dir / dataset.folder;
  unpack_all(dataset, input.data_dir);
  say(fmt::format("{}: unpacked; the archive is no longer needed", unpacked.string()));
  return unpacked;
}

}  // namespace yoke
