#include "tests/support/hosts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "yoke/core/files/file.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Runs a shell command that must succeed; what it prints.
std::string shell(const std::string& command) {
  const auto result = run_program({"sh", "-c", command});
  if (result.status != 0) throw std::runtime_error(command + ": " + result.output);
  return result.output;
}

/// Waits until `condition` is true; a machine may be slow, but not for ever.
template <typename Condition>
void wait_until(const Condition& condition, const std::string& what) {
  const auto last = std::chrono::steady_clock::now() + 10min;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > last) throw std::runtime_error("waited for " + what);
    std::this_thread::sleep_for(5ms);
  }
}

/// What ends with this process, with all it started.
std::vector<std::string> isolated(const std::string& script) {
  return {"setpriv",      "--pdeathsig",  "KILL",  "unshare", "--net",
          "--mount",      "--uts",        "--ipc", "--pid",   "--fork",
          "--kill-child", "--mount-proc", "sh",    "-c",      script};
}

}  // namespace

struct Hosts::Host {
  BackgroundProgram program;
  int pid = 0;  // of the first process inside

  explicit Host(const std::string& script) : program(isolated(script)) {}

  /// The process that unshare(1) forked, once it is inside.
  void find(const fs::path& ready) {
    wait_until([&] { return fs::exists(ready); }, "a host to start: " + program.output());
    const auto children = read_file(fmt::format("/proc/{0}/task/{0}/children", program.pid()));
    pid = std::stoi(children);
  }
};

std::string Hosts::why_not() {
  if (::geteuid() != 0) return "only root can make networks";
  for (const char* const tool :
       {"ip", "tc", "ssh", "/usr/sbin/sshd", "ssh-keygen", "setpriv", "unshare", "nsenter"}) {
    if (run_program({"sh", "-c", fmt::format("PATH=$PATH:/usr/sbin command -v {}", tool)}).status !=
        0) {
      return fmt::format("{} is missing: run scripts/install-dependencies --tests", tool);
    }
  }
  const auto made =
      run_program(isolated("ip link add bridge0 type bridge && ip link add type veth"));
  return made.status == 0 ? "" : "this machine lets nobody make networks: " + made.output;
}

Hosts::Hosts(int count) {
  for (int host = 0; host < count; ++host) hosts_.emplace_back();
  write_files();
  start_switch();
  for (int host = 0; host < count; ++host) start_host(host);
  for (int host = 0; host < count; ++host) wait_for_ssh(host);
}

Hosts::~Hosts() = default;

std::string Hosts::name(int host) { return fmt::format("host{}", host + 1); }
std::string Hosts::address(int host) { return fmt::format("10.77.0.{}", host + 1); }

void Hosts::write_files() const {
  const auto& path = directory_.path();
  shell(
      fmt::format("ssh-keygen -q -t ed25519 -N '' -f {0}/server_key && "
                  "ssh-keygen -q -t ed25519 -N '' -f {0}/key",
                  path.string()));
  write_file(path / "sshd_config",
             fmt::format("HostKey {0}/server_key\nAuthorizedKeysFile {0}/key.pub\n"
                         "PermitRootLogin yes\nStrictModes no\nUsePAM no\nPidFile none\n"
                         "MaxStartups 100\n",
                         path.string()));
  write_file(path / "ssh_config", fmt::format("Host *\n  IdentityFile {}/key\n  LogLevel ERROR\n"
                                              "  StrictHostKeyChecking no\n"
                                              "  UserKnownHostsFile /dev/null\n",
                                              path.string()));
  std::string names = "127.0.0.1 localhost\n";
  for (int host = 0; host < static_cast<int>(hosts_.size()); ++host) {
    names += fmt::format("{} {}\n", address(host), name(host));
  }
  write_file(path / "hosts", names);
}

void Hosts::start_switch() {
  const auto ready = directory_.path() / "switch.ready";
  switch_ = std::make_unique<Host>(
      fmt::format("ip link add bridge0 type bridge && ip link set bridge0 up && "
                  "touch {} && exec sleep 1000000",
                  ready.string()));
  switch_->find(ready);
}

void Hosts::in_switch(const std::string& command) const {
  shell(fmt::format("nsenter --target {} --net {}", switch_->pid, command));
}

void Hosts::start_host(int host) {
  const auto path = directory_.path().string();
  const auto ready = directory_.path() / (name(host) + ".ready");
  auto& made = hosts_[static_cast<std::size_t>(host)];
  made = std::make_unique<Host>(fmt::format(
      "hostname {1} && mount -t tmpfs shm /dev/shm && mount -t tmpfs run /run && mkdir /run/sshd "
      "&& "
      "mount --bind {0}/hosts /etc/hosts && mount --bind {0}/ssh_config /etc/ssh/ssh_config && "
      "ip link set lo up && touch {2} && exec /usr/sbin/sshd -D -e -f {0}/sshd_config",
      path, name(host), ready.string()));
  made->find(ready);
  in_switch(fmt::format("ip link add port{0} type veth peer name eth0 netns {1}", host, made->pid));
  in_switch(fmt::format("ip link set port{} master bridge0 up", host));
  shell(
      fmt::format("nsenter --target {0} --net ip address add {1}/24 dev eth0 && "
                  "nsenter --target {0} --net ip link set eth0 up",
                  made->pid, address(host)));
}

void Hosts::wait_for_ssh(int host) const {
  wait_until(
      [&] {
        return run_program(on(0, {"ssh", name(host), "true"})).status == 0;
      },
      "ssh to " + name(host));
}

std::vector<std::string> Hosts::on(int host, std::vector<std::string> arguments) const {
  const auto pid = std::to_string(hosts_[static_cast<std::size_t>(host)]->pid);
  arguments.insert(arguments.begin(), {"nsenter", "--target", pid, "--net", "--mount", "--uts",
                                       "--ipc", "--pid", "--"});
  return arguments;
}

void Hosts::cut(int host) const { in_switch(fmt::format("ip link set port{} down", host)); }
void Hosts::restore(int host) const { in_switch(fmt::format("ip link set port{} up", host)); }

bool Hosts::shape(int host, const std::string& discipline) const {
  const auto pid = hosts_[static_cast<std::size_t>(host)]->pid;
  return run_program({"sh", "-c",
                      fmt::format("nsenter --target {} --net tc qdisc replace dev eth0 "
                                  "root {}",
                                  pid, discipline)})
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
