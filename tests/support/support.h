// tests/support/support.h: what several test files need.
#pragma once
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace yoke::test {

/// A directory that is removed with its contents.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Files and folders right in `directory`.
std::size_t count_entries(const std::filesystem::path& directory);

/// The last line of `text`, without its end.
std::string last_line(std::string text);

/// What a finished program left.
struct ProgramResult {
  int status = 0;      ///< Exit status, or 128 + the signal that ended it.
  std::string output;  ///< Standard output and error together.
};

/// The words that start `mpirun` with `ranks` ranks. Leaks are not looked for in these: Open MPI
/// has some in modules that it has unloaded, whose names a suppression would need.
std::vector<std::string> mpirun_words(int ranks);

/// Runs `arguments[0]` with the rest as its arguments and waits for it.
ProgramResult run_program(const std::vector<std::string>& arguments);

/// A program that runs beside the test; ended with it.
class BackgroundProgram {
 public:
  explicit BackgroundProgram(const std::vector<std::string>& arguments);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  int pid() const { return pid_; }
  void send(int signal) const;
  std::string output() const;  ///< So far.
  ProgramResult wait();

 private:
  TemporaryDirectory directory_;
  int pid_ = 0;  // 0 once it was waited for
};

/// Waits as long as a slow machine may need; false if the condition never came true.
template <typename Condition>
bool comes_true(const Condition& condition) {
  const auto last = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

/// Whether tests that have a long form shall take it, as `make test-all` says: $YOKE_TEST_LONG.
bool long_tests();

/// Runs the `yoke` of this build.
ProgramResult run_yoke(std::vector<std::string> arguments);

/// A TCP port of this host that nobody listens on.
int free_port();

/// Starts `yoke` once per rank, as a launcher would with these environment variables. By rank.
std::vector<std::unique_ptr<BackgroundProgram>> start_yoke_ranks(
    int ranks, const std::vector<std::string>& arguments);

/// The same, and waits for all.
std::vector<ProgramResult> run_yoke_ranks(int ranks, const std::vector<std::string>& arguments);

/// The real data set `name` (a folder of $YOKE_TEST_DATA or of ../shared/data beside the source
/// tree), or nothing where it is absent: such tests skip and say so.
std::optional<std::filesystem::path> real_data(const std::string& name);

/// Runs Python `code` with `arguments`; nothing where Python lacks `module`.
std::optional<ProgramResult> run_python(const std::string& module, const std::string& code,
                                        const std::vector<std::string>& arguments);

}  // namespace yoke::test
