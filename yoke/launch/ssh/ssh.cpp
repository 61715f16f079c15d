#include "yoke/launch/ssh/ssh.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "yoke/core/error.h"
#include "yoke/core/system/process.h"
#include "yoke/core/system/shell.h"

namespace yoke::launch {

std::vector<std::string> ssh_arguments(const SshOptions& options, const std::string& host,
                                       const std::string& command) {
  std::vector<std::string> arguments = {"ssh", "-T",  // no terminal
                                        "-o",  "BatchMode=yes",
                                        "-o",  "ConnectTimeout=10",
                                        "-o",  "ServerAliveInterval=5",
                                        "-o",  "ServerAliveCountMax=2"};
  if (options.port) arguments.insert(arguments.end(), {"-p", std::to_string(*options.port)});
  if (!options.identity_file.empty()) {
    arguments.insert(arguments.end(), {"-i", options.identity_file});
  }
  arguments.insert(arguments.end(), {"--", host, command});
  return arguments;
}

std::string remote_command(const std::filesystem::path& directory, const Environment& environment,
                           const std::vector<std::string>& words) {
  std::string command = "cd " + shell_word(directory.string()) + " && exec ";
  // Needed before yoke's own code runs.
  if (const auto path = environment.find("LD_LIBRARY_PATH"); path != environment.end()) {
    command += "env LD_LIBRARY_PATH=" + shell_word(path->second) + " ";
  }
  return command + shell_line(words);
}

std::string ssh_host_name(const std::string& host, const Environment& environment) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  const Process ssh(
      {.arguments = {"ssh", "-G", "--", host}, .environment = environment, .out = writing.get()});
  writing.reset();
  std::string text;
  std::array<char, 4096> piece;
  for (ssize_t size = 0; (size = ::read(reading.get(), piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kKey = "hostname ";
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  }
  return host.substr(host.find('@') + 1);
}

Environment forwarded(const Environment& environment) {
  constexpr std::array<std::string_view, 7> kBeginnings = {
      "OMP_", "YOKE_", "NCCL_", "GLOO_", "TORCH_", "LD_LIBRARY_PATH", "PATH"};
  Environment result;
  for (const auto& [name, value] : environment) {
    const bool wanted = std::any_of(kBeginnings.begin(), kBeginnings.end(), [&](const auto begin) {
      return begin.ends_with('_') ? name.starts_with(begin) : name == begin;
    });
    if (wanted) result.emplace(name, value);
  }
  return result;
}

}  // namespace yoke::launch
