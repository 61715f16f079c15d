// apps/yoke/bench_allreduce.cpp: `yoke bench allreduce`, how long a sum over ranks takes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/yoke/bench.h"
#include "apps/yoke/number_flag.h"
#include "apps/yoke/samples.h"
#include "apps/yoke/thread_sum.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/rendezvous/join.h"
#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"
#include "yoke/core/system/threads.h"
#include "yoke/train/cores.h"

namespace yoke {
namespace {

struct GivenAllReduce {
  std::vector<std::string> comms = {kGloo, kSharedMemory};
  std::int64_t least_kib = 1, most_kib = 262144;
  int ranks = 2;
  double seconds = 0.3;
  bool threads = false;
  bool json = false;
};

/// One way to sum a vector over ranks.
struct Contestant {
  std::string name;
  std::function<void()> sum;
};

/// What one size is measured with; all ranks make the same.
class Field {
 public:
  Field(const GivenAllReduce& given,
        const std::map<std::string, std::unique_ptr<Communicator>>& comms,
        const std::vector<int>& cores, int rank, std::int64_t elements) {
    for (const auto& name : given.comms) {
      Communicator& communicator = *comms.at(name);
      add(name, communicator, torch::zeros({elements}));
      if (name == kSharedMemory) {
        add(in_place(name), communicator, communicator.allocate(elements));
      }
    }
    if (!given.threads) return;
    if (rank == 0) threads_ = std::make_unique<ThreadSum>(cores, elements);
    contestants.push_back({"threads", [this] {
                             if (threads_) threads_->run();
                           }});
  }

  std::vector<Contestant> contestants;

 private:
  void add(const std::string& name, Communicator& communicator, const torch::Tensor& tensor) {
    contestants.push_back({name, [&communicator, tensor] { communicator.all_reduce(tensor); }});
  }

  std::unique_ptr<ThreadSum> threads_;
};

/// Milliseconds of each try of each contestant, by turns in blocks: what slows the machine down
/// slows down all. Every rank does as many tries, of which rank 0 decides by `referee`.
std::vector<Samples> measure(const std::vector<Contestant>& contestants, double seconds,
                             Communicator& referee) {
  constexpr int kBlock = 10, kLeastBlocks = 3, kWarmUp = 3;
  std::vector<std::vector<double>> all(contestants.size());
  const Stopwatch total;
  const auto goes_on = torch::ones({1});
  for (int block = 0; goes_on.item<float>() > 0; ++block) {
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      for (int n = 0; n < kBlock; ++n) {
        const Stopwatch watch;
        contestants[i].sum();
        if (n >= kWarmUp || block > 0) all[i].push_back(1e3 * watch.seconds());
      }
      referee.all_reduce(torch::zeros({1}));  // the ranks meet
    }
    const double end = seconds * static_cast<double>(contestants.size());
    goes_on.fill_(block + 1 < kLeastBlocks || total.seconds() < end ? 1.0F : 0.0F);
    referee.broadcast(goes_on, 0);
  }
  return {all.begin(), all.end()};
}

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kKiB = 1024, kMiB = kKiB * kKiB;
  return bytes >= kMiB ? fmt::format("{} MiB", bytes / kMiB) : fmt::format("{} KiB", bytes / kKiB);
}

int bench(GivenAllReduce given, const World& world) {
  const Group group = join(world);
  given.ranks = group.size;
  const CpuBudget budget = cpu_budget();
  pin_to(share_cores(group, budget, 1).cores);
  set_threads(1);
  std::vector<int> cores(static_cast<std::size_t>(group.size));  // of the threads to compare with
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = budget.cores[i % budget.cores.size()];
  std::map<std::string, std::unique_ptr<Communicator>> comms;
  for (const auto& name : given.comms) {
    if (!comms.contains(name)) comms.emplace(name, make_communicator(name, group));
  }
  const bool leads = group.rank == 0;
  if (leads) {
    fmt::print("all-reduce of fp32 over {} ranks, one thread each; {}\n", group.size, budget.str());
    for (const auto& [name, comm] : comms) fmt::print("  {}: {}\n", name, comm->describe());
    fmt::print("{:>8}  {:<24} {:>9} {:>9} {:>9} {:>9} ms {:>7}  {:>9}\n", "size", "", "min", "p50",
               "p99", "max", "samples", "GB/s");
  }
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::int64_t kib = given.least_kib; kib <= given.most_kib; kib *= 4) {
    const std::int64_t bytes = kib * 1024;
    const Field field(given, comms, cores, group.rank, bytes / 4);
    const auto measured = measure(field.contestants, given.seconds, *comms.begin()->second);
    if (!leads) continue;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const Samples& samples = measured[i];
      const double rate = static_cast<double>(bytes) / samples.p50() * 1e3;
      fmt::print("{:>8}  {:<24} {:9.4f} {:9.4f} {:9.4f} {:9.4f}    {:>7}  {:9.3f}\n",
                 i == 0 ? size_text(bytes) : "", field.contestants[i].name, samples.min(),
                 samples.p50(), samples.p99(), samples.max(), samples.count(), rate / 1e9);
      nlohmann::ordered_json row = {{"comm", field.contestants[i].name},
                                    {"bytes", bytes},
                                    {"ranks", group.size},
                                    {"bytes_per_second", rate}};
      samples.add_to(row);
      rows.push_back(row);
    }
  }
  if (leads && given.json) fmt::print("{}\n", nlohmann::ordered_json{{"allreduce", rows}}.dump());
  return 0;
}

/// Becomes the launcher of as many ranks of this same command.
[[noreturn]] void launch(const GivenAllReduce& given, const std::vector<std::string>& arguments) {
  const bool mpi = std::count(given.comms.begin(), given.comms.end(), "mpi") > 0;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string ranks = std::to_string(given.ranks);
  std::vector<std::string> command = {self, "run", "-np", ranks, "--"};
  if (mpi) command = {"mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks};
  if (mpi && ::geteuid() == 0) command.emplace_back("--allow-run-as-root");
  if (mpi) command.push_back(self);
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw Error(fmt::format("cannot start {}: {}", command[0], std::strerror(errno)));
}

/// As given, to hand on.
std::vector<std::string> to_arguments(const GivenAllReduce& given) {
  std::vector<std::string> arguments = {
      "bench",       "allreduce",
      "--comm",      fmt::format("{}", fmt::join(given.comms, ",")),
      "--least-kib", std::to_string(given.least_kib),
      "--most-kib",  std::to_string(given.most_kib),
      "--seconds",   fmt::format("{}", given.seconds)};
  if (given.threads) arguments.emplace_back("--compare-threads");
  if (given.json) arguments.emplace_back("--json");
  return arguments;
}

}  // namespace

void add_bench_allreduce_command(CLI::App& bench_command, Run& run) {
  auto* command = bench_command.add_subcommand("allreduce", "Sums over ranks, from 1 KiB on");
  const auto given = std::make_shared<GivenAllReduce>();
  command->add_option("--comm", given->comms, "Communicators to measure side by side")
      ->delimiter(',')
      ->type_name("NAME,...")
      ->capture_default_str();
  command->add_option("--ranks", given->ranks, "Ranks to start, where no launcher started this")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
  command->add_option("--least-kib", given->least_kib, "Smallest vector; then four times as much")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--most-kib", given->most_kib, "Largest vector")
      ->check(above_zero())
      ->capture_default_str();
  command->add_option("--seconds", given->seconds, "For each communicator and size, about")
      ->check(above_zero())
      ->capture_default_str();
  command->add_flag("--compare-threads", given->threads,
                    "Beside them threads of one process that reach into each other's vectors");
  command->add_flag("--json", given->json, "Print one JSON object as the last line");
  command->callback([given, &run] {
    run = [given] {
      const World world = world_from_environment();
      if (world.size == 1) launch(*given, to_arguments(*given));
      return bench(*given, world);
    };
  });
}

}  // namespace yoke
