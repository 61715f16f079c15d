// apps/yoke/temporary_folder.h: a folder that goes with its contents.
#pragma once
#include <filesystem>

namespace yoke {

/// A new folder among the system's temporary files, for this user alone; removed by the destructor.
class TemporaryFolder {
 public:
  /// @throws Error when it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace yoke
