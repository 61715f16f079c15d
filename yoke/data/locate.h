// yoke/data/locate.h: where the files of a data set lie under --data-dir.
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// One way the files of a data set can lie on disk.
struct DatasetLayout {
  std::filesystem::path folder;  ///< As torchvision has it, e.g. `MNIST/raw`.
  /// Each file by the names it may have, the usual one first.
  std::vector<std::vector<std::string>> files;
};

/// The files that were found.
struct LocatedFiles {
  std::size_t layout = 0;                    ///< Which of the layouts.
  std::vector<std::filesystem::path> paths;  ///< One for each of its files, in their order.
};

/// Looks in `data_dir` and in its sub-folder `name` for the folder of each layout, then in the two
/// themselves; takes the first place that has all files.
/// @throws Error that names what is missing where there are only some of them; UsageError that
/// lists the places where there are none.
LocatedFiles locate(std::string_view name, std::span<const DatasetLayout> layouts,
                    const std::filesystem::path& data_dir);

/// The command that downloads the data set `name`; empty where it cannot be fetched.
std::string fetch_command(std::string_view name, const std::filesystem::path& data_dir);

}  // namespace yoke
