#include "tests/support/support.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "yoke/core/files/file.h"

namespace yoke::test {

namespace fs = std::filesystem;

std::size_t count_entries(const fs::path& directory) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (fs::temp_directory_path() / "yoke-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& arguments) {
  const auto output = directory_.path() / "output";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int error = posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot start " + arguments[0]);
}

BackgroundProgram::~BackgroundProgram() {
  if (pid_ == 0) return;
  send(SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void BackgroundProgram::send(int signal) const { ::kill(pid_, signal); }

std::string BackgroundProgram::output() const { return read_file(directory_.path() / "output"); }

ProgramResult BackgroundProgram::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
  return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .output = output()};
}

ProgramResult run_program(const std::vector<std::string>& arguments) {
  return BackgroundProgram(arguments).wait();
}

std::vector<std::string> mpirun_words(int ranks) {
  return {"env", "LSAN_OPTIONS=detect_leaks=0", "mpirun", "--allow-run-as-root", "--oversubscribe",
          "-n",  std::to_string(ranks)};
}

bool long_tests() { return std::getenv("YOKE_TEST_LONG") != nullptr; }

ProgramResult run_yoke(std::vector<std::string> arguments) {
  arguments.emplace(arguments.begin(), YOKE_PROGRAM);
  return run_program(arguments);
}

std::vector<std::unique_ptr<BackgroundProgram>> start_yoke_ranks(
    int ranks, const std::vector<std::string>& arguments) {
  // A port that is free now; taken by no one else before rank 0 listens but for bad luck.
  const int port = free_port();
  std::vector<std::unique_ptr<BackgroundProgram>> programs;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<std::string> command = {"env",
                                        "RANK=" + std::to_string(rank),
                                        "WORLD_SIZE=" + std::to_string(ranks),
                                        "LOCAL_RANK=" + std::to_string(rank),
                                        "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
                                        "MASTER_ADDR=127.0.0.1",
                                        "MASTER_PORT=" + std::to_string(port),
                                        YOKE_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    programs.push_back(std::make_unique<BackgroundProgram>(command));
  }
  return programs;
}

std::vector<ProgramResult> run_yoke_ranks(int ranks, const std::vector<std::string>& arguments) {
  std::vector<ProgramResult> results;
  for (const auto& program : start_yoke_ranks(ranks, arguments)) results.push_back(program->wait());
  return results;
}

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  ::close(socket);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

std::optional<fs::path> real_data(const std::string& name) {
  const char* const given = std::getenv("YOKE_TEST_DATA");
  const fs::path root =
      given != nullptr ? fs::path(given) : fs::path(YOKE_SOURCE_DIR) / ".." / "shared" / "data";
  if (!fs::is_directory(root / name)) return std::nullopt;
  return fs::canonical(root / name);
}

std::optional<ProgramResult> run_python(const std::string& module, const std::string& code,
                                        const std::vector<std::string>& arguments) {
  // Debian's own Python, for another one in PATH would not see Debian's modules.
  const std::string python = "/usr/bin/python3";
  constexpr int kMissing = 77;
  const auto program = fmt::format(
      "try:\n import {}\nexcept ImportError:\n raise SystemExit({})\n{}", module, kMissing, code);
  std::vector<std::string> command = arguments;
  command.insert(command.begin(), {python, "-c", program});
  auto result = run_program(command);
  if (result.status == kMissing) return std::nullopt;
  return result;
}

}  // namespace yoke::test
