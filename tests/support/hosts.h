// tests/support/hosts.h: several hosts on one machine, for tests of what runs between hosts.
#pragma once
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace yoke::test {

/// The hosts that scripts/simulate-cluster makes, too: each has its own network with an address,
/// host name, processes, /dev/shm and ssh server; the disk is shared. On each, `ssh NAME` to any
/// other works without a password. All of it belongs to processes that end with this one: nothing
/// is left behind.
class Hosts {
 public:
  /// Why this machine cannot simulate hosts (not root, a tool that is missing); else empty.
  static std::string why_not();

  /// `count` hosts called host1, host2, ... @throws std::runtime_error.
  explicit Hosts(int count);

  /// host1 for 0.
  static std::string name(int host);
  /// 10.78.0.1 for 0.
  static std::string address(int host);

  /// The words that run `arguments` on `host`; for run_program() and BackgroundProgram.
  std::vector<std::string> on(int host, const std::vector<std::string>& arguments) const;
  /// Takes the cable of `host` out, or puts it back.
  void cut(int host) const;
  void restore(int host) const;
  /// Shapes what `host` sends by a queueing discipline of tc(8), e.g. `tbf rate 100mbit burst 64kb
  /// latency 50ms`; false where the kernel lacks it.
  bool shape(int host, const std::string& discipline) const;
  /// The command lines of all processes on `host`, without its ssh server.
  std::vector<std::string> processes(int host) const;

 private:
  void set_port(int host, const std::string& state) const;

  BackgroundProgram cluster_;
  int switch_ = 0;          // a process in its network
  std::vector<int> hosts_;  // the first process of each
};

}  // namespace yoke::test
