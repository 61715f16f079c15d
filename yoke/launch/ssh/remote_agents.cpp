#include "yoke/launch/ssh/remote_agents.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/run/flag_names.h"

namespace yoke::launch {
namespace {

using namespace std::chrono_literals;

constexpr auto kTryAgain = 3s;
constexpr std::size_t kMostWords = 5;  // lines of ssh's to repeat
constexpr int kSshFailed = 255, kNotFound = 127;

}  // namespace

RemoteAgents::RemoteAgents(EventLoop& loop, Consoles consoles, RemoteOptions options, Gone gone)
    : loop_(loop),
      consoles_(consoles),
      options_(std::move(options)),
      gone_(std::move(gone)),
      connections_(options_.hosts.size()),
      start_at_(options_.hosts.size()) {}

RemoteAgents::~RemoteAgents() {
  for (int rank = 0; rank < static_cast<int>(connections_.size()); ++rank) drop(rank);
}

std::unique_ptr<RemoteAgents::Connection>& RemoteAgents::connection(int node_rank) {
  return connections_[static_cast<std::size_t>(node_rank)];
}

void RemoteAgents::tick() {
  const auto now = Clock::now();
  for (int rank = 0; rank < static_cast<int>(connections_.size()); ++rank) {
    const auto& open = connection(rank);
    auto& start_at = start_at_[static_cast<std::size_t>(rank)];
    if (open != nullptr) {
      open->out->pause(consoles_.out.full());
      open->err->pause(consoles_.err.full());
    } else if (!finishing_ && now >= start_at) {
      start_at = options_.retry ? now + kTryAgain : Clock::time_point::max();
      start(rank);
    }
  }
}

std::vector<std::string> RemoteAgents::arguments(const RemoteHost& host) const {
  std::vector<std::string> words = {options_.program.string(), "run", as_flag(launch_flag::kAgent)};
  if (host.here) return words;
  return ssh_arguments(options_.ssh, host.name,
                       remote_command(options_.directory, options_.environment, words));
}

void RemoteAgents::start(int node_rank) {
  const auto& host = options_.hosts[static_cast<std::size_t>(node_rank)];
  std::string order;
  try {
    order = nlohmann::json(options_.order(node_rank)).dump() + "\n";
  } catch (const Error& error) {
    return gone_(node_rank, false, error.what());
  }
  auto made = std::make_unique<Connection>();
  Connection& open = *made;
  open.out = std::make_unique<LinePipe>(loop_, [this, &open](const std::string& line) {
    if (open.ran) {
      consoles_.out.write(line + "\n");
    } else if (line == kAgentGreeting) {
      open.ran = true;
    }
  });
  open.err = std::make_unique<LinePipe>(loop_, [this, &open](const std::string& line) {
    if (open.ran) {
      consoles_.err.write(line + "\n");
    } else {
      open.words.push_back(line);
      if (open.words.size() > kMostWords) open.words.erase(open.words.begin());
    }
  });
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe");
  const Descriptor reading(ends[0]);
  open.input = Descriptor(ends[1]);
  ::fcntl(open.input.get(), F_SETFL, O_NONBLOCK);
  ::fcntl(open.input.get(), F_SETPIPE_SZ, static_cast<int>(order.size() + 1));
  open.process.emplace(ProcessOptions{.arguments = arguments(host),
                                      .environment = options_.environment,
                                      .in = reading.get(),
                                      .out = open.out->writing_end(),
                                      .err = open.err->writing_end(),
                                      .death_signal = SIGTERM});
  open.out->start();
  open.err->start();
  if (::write(open.input.get(), order.data(), order.size()) != static_cast<ssize_t>(order.size())) {
    throw Error("cannot tell an agent what to run: command and environment are too long");
  }
  loop_.watch(open.process->descriptor(), [this, node_rank] { connection_ended(node_rank); });
  connection(node_rank) = std::move(made);
}

void RemoteAgents::connection_ended(int node_rank) {
  auto& open = connection(node_rank);
  const auto exit = open->process->poll();
  if (!exit) return;
  open->out->finish();
  open->err->finish();
  const bool ran = open->ran;
  const std::string reason = ran ? fmt::format("its agent ended with status {}", *exit)
                                 : why_not_started(node_rank, *exit, *open);
  drop(node_rank);
  if (!finishing_) gone_(node_rank, ran, reason);
}

std::string RemoteAgents::why_not_started(int node_rank, int exit,
                                          const Connection& connection) const {
  const auto& name = options_.hosts[static_cast<std::size_t>(node_rank)].name;
  const std::string words = connection.words.empty()
                                ? "no message"
                                : fmt::format("{}", fmt::join(connection.words, "; "));
  if (exit == kSshFailed) {
    return fmt::format("ssh says: {}; this must work without a password: ssh {} true", words, name);
  }
  if (exit == kNotFound) {
    return fmt::format("{}; yoke must be at {} on each host", words, options_.program.string());
  }
  return fmt::format("{} (status {}); yoke must be at {} and the folder {} be there on each host",
                     words, exit, options_.program.string(), options_.directory.string());
}

void RemoteAgents::drop(int node_rank) {
  auto& open = connection(node_rank);
  if (open == nullptr) return;
  loop_.forget(open->process->descriptor());
  open.reset();
}

void RemoteAgents::finish() {
  finishing_ = true;
  for (const auto& open : connections_) {
    if (open != nullptr) open->input.reset();
  }
}

bool RemoteAgents::ended() const {
  return std::all_of(connections_.begin(), connections_.end(),
                     [](const auto& open) { return open == nullptr; });
}

}  // namespace yoke::launch
