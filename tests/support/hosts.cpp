#include "tests/support/hosts.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace yoke::test {
namespace {

/// The words that simulate hosts until this process ends.
std::vector<std::string> cluster(int count) {
  return {"setpriv", "--pdeathsig", "KILL", YOKE_SOURCE_DIR "/tests/support/hosts.py",
          std::to_string(count)};
}

/// The words that run `arguments` in `namespaces` of a process.
std::vector<std::string> inside(int process, std::vector<std::string> namespaces,
                                const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {"nsenter", "--target", std::to_string(process)};
  words.insert(words.end(), namespaces.begin(), namespaces.end());
  words.emplace_back("--");
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

}  // namespace

std::string Hosts::why_not() {
  constexpr int kCannot = 77;
  const auto tried = run_program(cluster(0));
  if (tried.status != 0 && tried.status != kCannot) throw std::runtime_error(tried.output);
  return tried.status == 0 ? "" : tried.output;
}

Hosts::Hosts(int count) : cluster_(cluster(count)) {
  if (!comes_true([&] { return cluster_.output().ends_with('\n'); })) {
    throw std::runtime_error("waited for simulated hosts");
  }
  std::istringstream told(cluster_.output());
  told >> switch_;
  hosts_.resize(static_cast<std::size_t>(count));
  for (auto& host : hosts_) told >> host;
  if (!told) throw std::runtime_error(cluster_.output());
}

std::string Hosts::name(int host) { return fmt::format("host{}", host + 1); }
std::string Hosts::address(int host) { return fmt::format("10.78.0.{}", host + 1); }

std::vector<std::string> Hosts::on(int host, const std::vector<std::string>& arguments) const {
  return inside(hosts_[static_cast<std::size_t>(host)],
                {"--net", "--mount", "--uts", "--ipc", "--pid"}, arguments);
}

void Hosts::set_port(int host, const std::string& state) const {
  const auto set = run_program(
      inside(switch_, {"--net"}, {"ip", "link", "set", fmt::format("port{}", host), state}));
  if (set.status != 0) throw std::runtime_error(set.output);
}

void Hosts::cut(int host) const { set_port(host, "down"); }
void Hosts::restore(int host) const { set_port(host, "up"); }

bool Hosts::shape(int host, const std::string& discipline) const {
  const auto command = "tc qdisc replace dev eth0 root " + discipline;
  return run_program(
             inside(hosts_[static_cast<std::size_t>(host)], {"--net"}, {"sh", "-c", command}))
             .status == 0;
}

std::vector<std::string> Hosts::processes(int host) const {
  std::istringstream text(run_program(on(host, {"ps", "-eo", "stat=,args="})).output);
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    const bool own = line.find("sshd") != std::string::npos ||
                     line.find("ps -eo") != std::string::npos || line.starts_with("Z");
    if (!own) found.push_back(line);
  }
  return found;
}

}  // namespace yoke::test
