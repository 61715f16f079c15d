#include "yoke/data/download/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/data/formats/archive_error.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

/// Reads the entries of one archive in order.
class Reader {
 public:
  explicit Reader(const fs::path& path) : path_(path) {
    archive_read_support_filter_all(archive_.get());
    archive_read_support_format_tar(archive_.get());
    constexpr std::size_t kBlock = 1 << 17;
    check(archive_read_open_filename(archive_.get(), path.c_str(), kBlock));
  }

  /// The next entry, or null at the end.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_.get(), &entry);
    if (status == ARCHIVE_EOF) return nullptr;
    check(status);
    return entry;
  }

  void copy_to(FileDescriptor& file) {
    for (;;) {
      const auto size = archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
      if (size == 0) return;
      if (size < 0) check(static_cast<int>(size));
      file.write(std::span(buffer_.data(), static_cast<std::size_t>(size)));
    }
  }

  [[noreturn]] void refuse(std::string_view name, std::string_view why) const {
    throw Error(fmt::format("{} is not unpacked: its entry '{}' {}", path_.string(), name, why));
  }

 private:
  void check(int status) const {
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    throw Error(fmt::format("cannot unpack {}: {}; remove it and fetch it again", path_.string(),
                            archive_problem(archive_.get())));
  }

  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  fs::path path_;
  std::unique_ptr<archive, Free> archive_{archive_read_new()};
  std::vector<std::byte> buffer_ = std::vector<std::byte>(1 << 18);
};

fs::path safe_path(const Reader& reader, std::string_view name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute()) reader.refuse(name, "has no relative path");
  for (const auto& part : path) {
    if (part == "..") reader.refuse(name, "would land outside the folder");
  }
  return path.lexically_normal();
}

}  // namespace

void unpack(const fs::path& archive, const fs::path& target) {
  Reader reader(archive);
  while (archive_entry* const entry = reader.next()) {
    const char* const given = archive_entry_pathname(entry);
    const std::string_view name = given != nullptr ? given : "";
    const fs::path path = target / safe_path(reader, name);
    const auto type = archive_entry_filetype(entry);
    // A hard link has no type here.
    if (type != AE_IFREG && type != AE_IFDIR) reader.refuse(name, "is neither a file nor a folder");
    std::error_code error;
    fs::create_directories(type == AE_IFDIR ? path : path.parent_path(), error);
    if (error) throw Error(fmt::format("cannot make {}: {}", path.string(), error.message()));
    if (type == AE_IFDIR) continue;
    FileDescriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    reader.copy_to(file);
    file.sync();
  }
}

}  // namespace yoke
