#include "yoke/data/formats/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "yoke/core/error.h"
#include "yoke/data/formats/archive_error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

class ZipReader {
 public:
  explicit ZipReader(const fs::path& path) : path_(path.string()) {
    std::error_code failed;
    left_bytes_ = static_cast<std::int64_t>(fs::file_size(path, failed));
    if (failed) fail(failed.message());
    archive_read_support_format_zip_seekable(archive_.get());
    constexpr std::size_t kBlock = 1 << 17;
    check(archive_read_open_filename(archive_.get(), path.c_str(), kBlock));
  }

  std::map<std::string, torch::Tensor> read(const std::function<bool(std::string_view)>& wanted) {
    std::map<std::string, torch::Tensor> files;
    archive_entry* entry = nullptr;
    for (int status = 0; (status = archive_read_next_header(archive_.get(), &entry)) != kEnd;) {
      if (status != ARCHIVE_WARN) check(status);  // e.g. a name that the locale cannot write
      if (archive_entry_filetype(entry) != AE_IFREG) continue;
      const char* const given = archive_entry_pathname(entry);
      const std::string name = given != nullptr ? given : "";
      if (!wanted(name)) continue;
      auto bytes = read_file(name, archive_entry_size(entry));
      if (!files.emplace(name, std::move(bytes)).second) {
        fail(fmt::format("it holds '{}' twice", name));
      }
    }
    return files;
  }

 private:
  static constexpr int kEnd = ARCHIVE_EOF;

  torch::Tensor read_file(const std::string& name, std::int64_t size_bytes) {
    // Before its data is touched, for a decompressor takes memory that the file asks for.
    if (!std::string_view(archive_format_name(archive_.get())).ends_with("(uncompressed)")) {
      fail(
          fmt::format("its file '{}' is compressed; only stored files are read: unpack it, and "
                      "pack it again with zip -0",
                      name));
    }
    if (size_bytes < 0 || size_bytes > left_bytes_) {
      fail(fmt::format("its file '{}' of {} bytes is larger than the archive", name, size_bytes));
    }
    left_bytes_ -= size_bytes;
    auto bytes = torch::empty({size_bytes}, torch::kUInt8);
    std::int64_t found = 0;
    for (;;) {
      std::uint8_t beyond = 0;
      const bool full = found == size_bytes;
      const auto count =
          archive_read_data(archive_.get(), full ? &beyond : bytes.data_ptr<std::uint8_t>() + found,
                            full ? 1 : static_cast<std::size_t>(size_bytes - found));
      if (count == 0) break;
      if (count < 0) check(static_cast<int>(count));
      if (full) fail(fmt::format("its file '{}' is longer than declared", name));
      found += count;
    }
    if (found != size_bytes) fail(fmt::format("it is cut short within its file '{}'", name));
    return bytes;
  }

  void check(int status) const {
    if (status == ARCHIVE_OK) return;
    fail(archive_problem(archive_.get()));
  }

  [[noreturn]] void fail(std::string_view why) const {
    throw Error(fmt::format("cannot read the zip archive {}: {}", path_, why));
  }

  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  std::string path_;
  std::int64_t left_bytes_ = 0;  // that no file has taken
  std::unique_ptr<archive, Free> archive_{archive_read_new()};
};

}  // namespace

std::map<std::string, torch::Tensor> read_stored_zip(
    const fs::path& path, const std::function<bool(std::string_view)>& wanted) {
  return ZipReader(path).read(wanted);
}

}  // namespace yoke
