// yoke/core/files/temporary_folder.h: a folder that goes with its contents.
#pragma once
#include <filesystem>

namespace yoke {

/// A new folder for this user alone, removed by the destructor.
class TemporaryFolder {
 public:
  /// Its path is `beginning` and six letters that make it new. @throws Error when it cannot be
  /// made.
  explicit TemporaryFolder(
      const std::filesystem::path& beginning = std::filesystem::temp_directory_path() / "yoke-");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace yoke
