#include "yoke/data/formats/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/data/formats/archive_error.h"
#include "yoke/data/read_bytes.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostUnpackedBytes = std::int64_t{8} << 30;

}  // namespace

/// Gives libarchive a file in small blocks: its own are of 64 KiB at least, which read for each
/// header would be half of a file of photos.
class TarFile::Source {
 public:
  explicit Source(const fs::path& path)
      : file_(std::make_unique<FileDescriptor>(path, O_RDONLY | O_CLOEXEC)),
        size_bytes_(static_cast<std::int64_t>(fs::file_size(path))) {}

  std::int64_t size_bytes() const { return size_bytes_; }
  std::unique_ptr<FileDescriptor> take() { return std::move(file_); }

  static la_ssize_t read(archive* reader, void* source, const void** bytes) {
    auto& self = *static_cast<Source*>(source);
    const auto left = self.size_bytes_ - self.position_;
    const std::span block =
        std::span(self.block_)
            .first(static_cast<std::size_t>(std::min<std::int64_t>(left, self.block_.size())));
    try {
      read_bytes(*self.file_, self.position_, block);
    } catch (const Error& error) {  // which must not pass through C
      archive_set_error(reader, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
    self.position_ += static_cast<std::int64_t>(block.size());
    *bytes = block.data();
    return static_cast<la_ssize_t>(block.size());
  }

  static la_int64_t skip(archive*, void* source, la_int64_t count) {
    auto& self = *static_cast<Source*>(source);
    const auto skipped = std::min(count, self.size_bytes_ - self.position_);
    self.position_ += skipped;
    return skipped;
  }

 private:
  std::unique_ptr<FileDescriptor> file_;
  std::int64_t size_bytes_;
  std::int64_t position_ = 0;
  std::array<std::uint8_t, 4096> block_{};
};

/// Goes through the archive once.
class TarFile::Index {
 public:
  Index(const fs::path& path, TarFile& tar) : path_(path), tar_(tar), source_(path) {
    archive_read_support_filter_all(archive_.get());
    archive_read_support_format_tar(archive_.get());
    check(
        archive_read_open2(archive_.get(), &source_, nullptr, Source::read, Source::skip, nullptr));
  }

  void run(const std::function<bool(std::string_view)>& wanted) {
    archive_entry* entry = nullptr;
    for (int status = 0; (status = archive_read_next_header(archive_.get(), &entry)) != kEnd;) {
      check(status);
      const char* const name = archive_entry_pathname(entry);
      if (name == nullptr || !wanted(name)) continue;
      const bool link = archive_entry_hardlink(entry) != nullptr;  // has no type
      if (!link && archive_entry_filetype(entry) != AE_IFREG) continue;
      if (link || archive_entry_sparse_count(entry) > 0) refuse(name);
      take(name, archive_entry_size(entry));
    }
    if (!compressed()) tar_.file_ = source_.take();
  }

 private:
  static constexpr int kEnd = ARCHIVE_EOF;

  bool compressed() const { return archive_filter_count(archive_.get()) > 1; }

  void take(const char* name, std::int64_t size_bytes) {
    // After its header the archive's position is that of the entry's data.
    std::int64_t offset = archive_filter_bytes(archive_.get(), 0);
    if (compressed()) {
      offset = static_cast<std::int64_t>(tar_.memory_.size());
      keep(name, size_bytes);
    } else if (size_bytes > source_.size_bytes() - offset) {
      throw Error(fmt::format("{} is cut short within its entry '{}'", path_.string(), name));
    }
    tar_.entries_.push_back({.name = name, .offset = offset, .size_bytes = size_bytes});
  }

  /// Read in pieces: memory grows with what is there, not with what a header declares.
  void keep(const char* name, std::int64_t size_bytes) {
    auto& memory = tar_.memory_;
    std::int64_t left = size_bytes;
    while (left > 0) {
      std::array<std::uint8_t, 1 << 16> piece;
      const auto count = archive_read_data(archive_.get(), piece.data(), piece.size());
      if (count < 0) check(static_cast<int>(count));
      if (count == 0) {
        throw Error(fmt::format("{} is cut short within its entry '{}'", path_.string(), name));
      }
      left -= count;
      memory.insert(memory.end(), piece.begin(), piece.begin() + count);
      if (static_cast<std::int64_t>(memory.size()) <= kMostUnpackedBytes) continue;
      throw UsageError(fmt::format(
          "{} is compressed and holds more than 8 GiB of images, which would all stay in memory; "
          "decompress it (gunzip, unxz): a plain tar file is read in place",
          path_.string()));
    }
  }

  [[noreturn]] void refuse(const char* name) const {
    throw Error(
        fmt::format("{}: its entry '{}' is a link or has holes; make it anew, with tar's "
                    "--hard-dereference and without --sparse",
                    path_.string(), name));
  }

  void check(int status) const {
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    throw Error(fmt::format("cannot read {}: {}", path_.string(), archive_problem(archive_.get())));
  }

  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  fs::path path_;
  TarFile& tar_;
  Source source_;
  std::unique_ptr<archive, Free> archive_{archive_read_new()};
};

TarFile::TarFile(fs::path path, const std::function<bool(std::string_view)>& wanted)
    : path_(std::move(path)) {
  Index(path_, *this).run(wanted);
}

std::span<const std::uint8_t> TarFile::read(std::int64_t offset, std::int64_t size_bytes,
                                            std::vector<std::uint8_t>& scratch) const {
  if (!file_) {
    return std::span(memory_).subspan(static_cast<std::size_t>(offset),
                                      static_cast<std::size_t>(size_bytes));
  }
  scratch.resize(static_cast<std::size_t>(size_bytes));
  read_bytes(*file_, offset, scratch);
  return scratch;
}

bool is_tar_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEndings = {
      ".tar", ".tgz", ".txz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tar.lz4"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace yoke
