// One rank as a process of its own: meets the others as its environment says, then
//   rank_checks COMMUNICATOR HOSTS          does every check
//   rank_checks COMMUNICATOR HOSTS RANK     loses that rank in the middle of an operation
//   rank_checks COMMUNICATOR HOSTS RANK WHY fails on that rank alone, for that reason
// HOSTS is how many ranks each host is to have, as `2,1`; `0`: as it is. Exit status: 0 all well, 1
// a check failed, 3 another rank was lost and that was told.
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "tests/comm/checks.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/rendezvous/join.h"
#include "yoke/comm/tell_after_others.h"
#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"

namespace yoke::test {
namespace {

constexpr int kOperations = 100;

void simulate_hosts(Group& group, const std::string& hosts) {
  std::istringstream list(hosts);
  int first = 0, host = 0;
  for (std::string count; std::getline(list, count, ','); ++host) {
    for (int rank = first; rank < first + std::stoi(count); ++rank) {
      group.peers.at(static_cast<std::size_t>(rank)).memory += fmt::format("/{}", host);
    }
    first += std::stoi(count);
  }
}

void do_checks(const std::string& communicator, const Group& group) {
  for (const Check& check : checks()) {
    const Stopwatch watch;
    try {
      check.run(communicator, again(group, check.name));
    } catch (const CommError& error) {
      throw CommError(fmt::format("{}: {}", check.name, error.what()));
    } catch (const std::exception& error) {
      throw std::runtime_error(fmt::format("{}: {}", check.name, error.what()));
    }
    if (group.rank == 0) fmt::print("{}: {:.1f} s\n", check.name, watch.seconds());
  }
  if (group.rank == 0) fmt::print("all checks passed\n");
}

int lose(const std::string& communicator, const Group& group, int lost) {
  const auto comm = make_communicator(communicator, group);
  const torch::Tensor tensor = torch::ones({500'000});
  try {
    for (int i = 0; i < kOperations; ++i) {
      comm->set_step(i);
      const Work work = comm->start(Operation::all_reduce(tensor.fill_(1)));
      if (i == kOperations / 2 && group.rank == lost) ::raise(SIGKILL);
      work.wait();
    }
  } catch (const CommError& error) {
    fmt::print("lost: {}\n", error.what());
    return 3;
  }
  return 0;
}

/// The others wait at the store, which goes with rank 0.
void fail(const Group& group, int failing, const std::string& why) {
  if (group.rank == failing) throw std::runtime_error(why);
  group.store->get("what never comes", group.timeout);
}

int run(int argc, char** argv) {
  Group group = join(world_from_environment(),
                     {.join = std::chrono::minutes(5), .operation = std::chrono::minutes(5)});
  simulate_hosts(group, argv[2]);
  if (argc == 4) return lose(argv[1], group, std::stoi(argv[3]));
  argc > 4 ? fail(group, std::stoi(argv[3]), argv[4]) : do_checks(argv[1], group);
  return 0;
}

}  // namespace
}  // namespace yoke::test

namespace {

int fail_with(const std::exception& error) {
  fmt::print(stderr, "failed: {}\n", error.what());  // at once, not at the end
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    at::set_num_threads(1);
    int status = 0;
    yoke::tell_after_others([&] { status = yoke::test::run(argc, argv); });
    return status;
  } catch (const yoke::CommError& error) {
    return fail_with(error);
  } catch (const std::exception& error) {
    // By now this rank's connections are closed: the others learn of it before its reason is told.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return fail_with(error);
  }
}
