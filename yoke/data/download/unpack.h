// yoke/data/download/unpack.h: unpacks downloaded archives (libarchive).
#pragma once
#include <filesystem>

namespace yoke {

/// Unpacks the files and folders of `archive` (tar, plain or compressed) into the folder `target`.
/// @throws Error when the archive is damaged, when the disk is full, and on an entry that would
/// land outside `target` or is neither a file nor a folder; `target` may then hold some of the
/// files.
void unpack(const std::filesystem::path& archive, const std::filesystem::path& target);

}  // namespace yoke
