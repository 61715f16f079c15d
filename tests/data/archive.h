// tests/data/archive.h: makes tar and zip files, harmless and not.
#pragma once
#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <string>
#include <vector>

namespace yoke::test {

struct ArchiveEntry {
  std::string name;
  std::string content{};
  unsigned type = AE_IFREG;
  std::string link{};  ///< Target of a symbolic link, or of a hard link where `type` is AE_IFREG.
};

/// Writes `entries` with `writer`, whose format is set, and frees it.
inline void write_entries(archive* writer, const std::filesystem::path& path,
                          const std::vector<ArchiveEntry>& entries) {
  archive_write_open_filename(writer, path.c_str());
  for (const auto& item : entries) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, item.name.c_str());
    archive_entry_set_filetype(entry, item.type);
    archive_entry_set_perm(entry, 0755);
    archive_entry_set_size(entry, static_cast<la_int64_t>(item.content.size()));
    if (item.type == AE_IFLNK) archive_entry_set_symlink(entry, item.link.c_str());
    if (item.type == AE_IFREG && !item.link.empty()) {
      archive_entry_set_hardlink(entry, item.link.c_str());
    }
    archive_write_header(writer, entry);
    archive_write_data(writer, item.content.data(), item.content.size());
    archive_entry_free(entry);
  }
  archive_write_free(writer);
}

inline void write_archive(const std::filesystem::path& path,
                          const std::vector<ArchiveEntry>& entries,
                          int filter = ARCHIVE_FILTER_GZIP) {
  archive* const writer = archive_write_new();
  archive_write_add_filter(writer, filter);
  archive_write_set_format_pax_restricted(writer);
  write_entries(writer, path, entries);
}

/// `compression` is `store` or `deflate`.
inline void write_zip(const std::filesystem::path& path, const std::vector<ArchiveEntry>& entries,
                      const char* compression = "store") {
  archive* const writer = archive_write_new();
  archive_write_set_format_zip(writer);
  archive_write_set_format_option(writer, "zip", "compression", compression);
  write_entries(writer, path, entries);
}

}  // namespace yoke::test
