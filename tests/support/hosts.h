// tests/support/hosts.h: several hosts on one machine, for tests of what runs between hosts.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace yoke::test {

/// Simulated hosts on one switch: each has its own network with an address, host name, processes,
/// /dev/shm and ssh server; the disk is shared. On each, `ssh NAME` to any other works without a
/// password. All of it belongs to processes that end with this one, so nothing is left behind.
class Hosts {
 public:
  /// Why this machine cannot simulate hosts (not root, a tool that is missing); else empty.
  static std::string why_not();

  /// `count` hosts called host1, host2, ... @throws std::runtime_error.
  explicit Hosts(int count);
  ~Hosts();

  /// host1 for 0.
  static std::string name(int host);
  /// 10.77.0.1 for 0.
  static std::string address(int host);

  /// The words that run `arguments` on `host`; for run_program() and BackgroundProgram.
  std::vector<std::string> on(int host, std::vector<std::string> arguments) const;
  /// Takes the cable of `host` out, or puts it back.
  void cut(int host) const;
  void restore(int host) const;
  /// Shapes what `host` sends by a queueing discipline of tc(8), e.g. `tbf rate 100mbit burst 64kb
  /// latency 50ms`; false where the kernel lacks it.
  bool shape(int host, const std::string& discipline) const;
  /// The command lines of all processes on `host`, without its ssh server.
  std::vector<std::string> processes(int host) const;

 private:
  struct Host;

  void write_files() const;
  void start_switch();
  void start_host(int host);
  void wait_for_ssh(int host) const;
  void in_switch(const std::string& command) const;

  TemporaryDirectory directory_;
  std::unique_ptr<Host> switch_;
  std::vector<std::unique_ptr<Host>> hosts_;
};

}  // namespace yoke::test
