#include "tests/fuzz/target.h"

#include <fstream>
#include <memory>

#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/temporary_folder.h"

namespace yoke::test {
namespace {

/// One for all inputs of this process: files on a disk take most of the time.
const std::filesystem::path& folder_in_memory() {
  static const TemporaryFolder folder("/dev/shm/fuzz-");
  return folder.path();
}

}  // namespace

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> all = [] {
    std::vector<FuzzTarget> found;
    for (const auto& some :
         {comm_targets, core_targets, data_targets, forecast_targets, image_targets, launch_targets,
          run_targets, study_targets, train_targets}) {
      for (auto& target : some()) found.push_back(std::move(target));
    }
    return found;
  }();
  return all;
}

bool reads(const FuzzTarget& target, const std::string& bytes) {
  try {
    target.read(bytes);
    return true;
  } catch (const Error&) {
    return false;
  }
}

InputFile::InputFile(const std::string& name) : path_(folder_in_memory() / name) {
  std::filesystem::create_directories(path_.parent_path());
}

std::filesystem::path InputFile::holding(const std::string& bytes) const {
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  return path_;
}

std::string bytes_written_by(const std::function<void(const std::filesystem::path&)>& write) {
  const InputFile file("seed");
  write(file.path());
  auto bytes = read_file(file.path());
  std::filesystem::remove(file.path());
  return bytes;
}

}  // namespace yoke::test
