// tests/fuzz/target.h: what reads a stranger's bytes, for machines to try.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace yoke::test {

/// A reader, and bytes that it reads without a word.
struct FuzzTarget {
  std::string name;
  std::vector<std::string> seeds;
  /// Throws Error where the bytes are none of its format; anything else that it does is a fault.
  std::function<void(const std::string& bytes)> read;
};

/// One for each format; a file of this folder has those of a folder of yoke/.
std::vector<FuzzTarget> comm_targets();
std::vector<FuzzTarget> core_targets();
std::vector<FuzzTarget> data_targets();
std::vector<FuzzTarget> forecast_targets();
std::vector<FuzzTarget> image_targets();
std::vector<FuzzTarget> launch_targets();
std::vector<FuzzTarget> run_targets();
std::vector<FuzzTarget> study_targets();
std::vector<FuzzTarget> train_targets();

const std::vector<FuzzTarget>& fuzz_targets();

/// Whether `target` read the bytes, rather than refused them. @throws whatever else it did.
bool reads(const FuzzTarget& target, const std::string& bytes);

/// A file that is written anew for each input, in memory; named `name` for readers that ask.
class InputFile {
 public:
  explicit InputFile(const std::string& name = "input");
  /// Its path, with `bytes` in it.
  std::filesystem::path holding(const std::string& bytes) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The bytes that `write` writes into the file whose path it is given.
std::string bytes_written_by(const std::function<void(const std::filesystem::path&)>& write);

}  // namespace yoke::test
