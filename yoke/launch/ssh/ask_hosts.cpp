#include "yoke/launch/ssh/ask_hosts.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"
#include "yoke/launch/network.h"

namespace yoke::launch {
namespace {

/// Runs `words`, until nobody holds its output any more.
void ask(const std::vector<std::string>& words, const Environment& environment,
         HostAnswer& answer) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor reading(ends[0]);
  Descriptor writing(ends[1]);
  answer.asked = seconds_since_1970();
  Process process(
      {.arguments = words, .environment = environment, .out = writing.get(), .err = writing.get()});
  writing.reset();
  std::array<char, 4096> piece;
  for (ssize_t size = 0; (size = ::read(reading.get(), piece.data(), piece.size())) > 0;) {
    answer.output.append(piece.data(), static_cast<std::size_t>(size));
  }
  answer.answered = seconds_since_1970();
  std::optional<int> exit;
  while (!(exit = process.poll())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  answer.status = *exit;
}

}  // namespace

std::vector<HostAnswer> ask_hosts(const std::vector<HostSlots>& hosts, const SshOptions& ssh,
                                  const LaunchContext& context,
                                  const std::vector<std::vector<std::string>>& arguments) {
  std::vector<HostAnswer> answers(hosts.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& name = hosts[i].name;
    std::vector<std::string> words = {context.program.string()};
    words.insert(words.end(), arguments[i].begin(), arguments[i].end());
    if (!is_this_host(name) && !is_this_host(ssh_host_name(name, context.environment))) {
      words = ssh_arguments(
          ssh, name, remote_command(std::filesystem::current_path(), context.environment, words));
    }
    answers[i].host = name;
    threads.emplace_back([&answer = answers[i], &context, words = std::move(words)] {
      try {
        ask(words, context.environment, answer);
      } catch (const Error& error) {
        answer.status = -1;
        answer.output = error.what();
      }
    });
  }
  threads.clear();
  return answers;
}

}  // namespace yoke::launch
