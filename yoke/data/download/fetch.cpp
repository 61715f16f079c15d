#include "yoke/data/download/fetch.h"

#include <fmt/format.h>

#include <cctype>
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

/// As it stands in an address: all but letters, digits and `-._~/` by their codes.
std::string percent_encoded(const fs::path& path) {
  constexpr std::string_view kPlain = "-._~/";
  std::string text;
  for (const char letter : path.string()) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain =
        (byte < 0x80 && std::isalnum(byte) != 0) || kPlain.find(letter) != std::string_view::npos;
    text += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return text;
}

/// `mirror` as an address that ends with '/'.
std::string address_of(const std::string& mirror) {
  for (const char* const scheme : {"http://", "https://", "file:///"}) {
    if (mirror.starts_with(scheme)) return with_slash(mirror);
  }
  std::error_code ignored;
  if (fs::is_directory(mirror, ignored)) {
    return with_slash("file://" + percent_encoded(fs::absolute(mirror)));
  }
  throw UsageError(
      fmt::format("the mirror '{}' is neither an address, which begins with http://, https:// or "
                  "file:///, nor a folder of this machine",
                  mirror));
}

std::vector<std::string> addresses(const RemoteFiles& remote, const RemoteFile& file,
                                   const std::string& mirror) {
  std::vector<std::string> urls;
  if (!mirror.empty()) {
    urls.push_back(mirror + file.name);
    if (!remote.folder.empty()) {
      urls.push_back(mirror + (remote.folder / file.name).generic_string());
    }
  }
  for (const auto& base : remote.mirrors) urls.push_back(base + file.name);
  return urls;
}

bool is_unpacked(const RemoteFiles& remote, const fs::path& data_dir) {
  for (const auto& file : remote.unpacked_files) {
    std::error_code error;
    const auto size = fs::file_size(data_dir / remote.unpacked_folder / file.name, error);
    if (error || static_cast<std::int64_t>(size) != file.size_bytes) return false;
  }
  return remote.is_archive();
}

void unpack_all(const RemoteFiles& remote, const fs::path& data_dir) {
  const TemporaryFolder workshop(data_dir / ".unpack-");  // beside the final folder
  const fs::path fresh = workshop.path() / "new";
  for (const auto& file : remote.files) unpack(data_dir / remote.folder / file.name, fresh);
  if (!is_unpacked(remote, fresh)) {
    throw Error(
        fmt::format("{} does not hold the files of {}", remote.files.front().name, remote.name));
  }
  const fs::path target = data_dir / remote.unpacked_folder;
  std::error_code error;
  if (fs::exists(target)) fs::rename(target, workshop.path() / "old", error);
  if (!error) fs::rename(fresh / remote.unpacked_folder, target, error);
  if (error) throw Error(fmt::format("cannot replace {}: {}", target.string(), error.message()));
  sync_directory(data_dir);
}

}  // namespace

fs::path fetch(const RemoteFiles& remote, const FetchInput& input,
               const DownloadObserver& observer) {
  const auto say = [&](const std::string& line) {
    if (observer.message) observer.message(line);
  };
  const std::string mirror = input.mirror.empty() ? "" : address_of(input.mirror);
  fs::path unpacked = input.data_dir / remote.unpacked_folder;
  if (is_unpacked(remote, input.data_dir)) {
    say(fmt::format("{}: already there", unpacked.string()));
    return unpacked;
  }
  for (const auto& file : remote.files) {
    const fs::path path = input.data_dir / remote.folder / file.name;
    const auto outcome = download({.urls = addresses(remote, file, mirror),
                                   .path = path,
                                   .digest = file.digest,
                                   .size_bytes = file.size_bytes,
                                   .most_bytes = file.most_bytes},
                                  input.policy, observer);
    say(fmt::format("{}: {}, {} is right", path.string(),
                    outcome == DownloadOutcome::kAlreadyThere
                        ? "already there"
                        : format_bytes(static_cast<std::int64_t>(fs::file_size(path))),
                    file.digest.algorithm));
  }
  if (!remote.is_archive()) return input.data_dir / remote.folder;
  unpack_all(remote, input.data_dir);
  say(fmt::format("{}: unpacked; the archive is no longer needed", unpacked.string()));
  return unpacked;
}

}  // namespace yoke
