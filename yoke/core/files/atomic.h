// yoke/core/files/atomic.h: files and directories that are there complete or not at all.
#pragma once
#include <filesystem>
#include <functional>

namespace yoke {

/// Makes `path` atomically: `write` makes a file, or a directory of synced files, at the temporary
/// path it is given (`.NAME.tmp-HOST-PID` beside `path`, see process_name()), which is then
/// renamed, and the directory synced. A file at `path` is replaced; a directory there is an error.
/// @throws Error, or what `write` throws; `path` is then as it was and the temporary is gone.
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& temporary)>& write);

/// Makes a temporary of `path`, a directory, for remove_leftovers() to remove: it is never seen
/// with a part of its files. Errors are ignored; `path` is then as it was.
void give_up(const std::filesystem::path& path);

/// Removes from `directory` the temporaries of write_atomically() of processes of this host that
/// are gone, and those of this process; errors are ignored.
void remove_leftovers(const std::filesystem::path& directory);

}  // namespace yoke
