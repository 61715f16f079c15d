// yoke/parallel/parameter_server.cpp: servers keep the parameters and the optimizer's state, each a
// part; workers push gradients and pull parameters (Li et al. 2014, "Scaling Distributed Machine
// Learning with the Parameter Server").
//
// Servers are the first ranks, which then have no images, or, by themselves, every rank beside its
// worker. mode=sync is the step of all-reduce; mode=async moves the parameters at every push, with
// bounded staleness (Ho et al. 2013), and, where ranks serve alone, goes on without workers that
// are lost.
#include <fmt/format.h>

#include <numeric>

#include "yoke/comm/factory.h"
#include "yoke/core/clock.h"
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/server/pushing.h"
#include "yoke/parallel/server/roster.h"
#include "yoke/parallel/server/server_options.h"
#include "yoke/parallel/sharded_state.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

using torch::Tensor;

class ParameterServer final : public Strategy {
 public:
  ParameterServer(const Copies& copies, const ServerOptions& options)
      : Strategy(copies),
        options_(options),
        rank_(copies.communicator.rank()),
        shards_(copies.parameters, copies.communicator, options.servers),
        master_(shards_.own().clone()),
        ever_(copies.communicator.size() - options.servers),
        workers_(static_cast<std::size_t>(ever_)) {
    std::iota(workers_.begin(), workers_.end(), 0);
  }

  // Where several ranks fail at once none may wait for another: nothing more is served, and the
  // others' servers see this worker go before this rank waits for their workers.
  ~ParameterServer() override {
    if (server_) server_->fail("the server has ended");
    pushing_.reset();
  }

  std::unique_ptr<Optimizer> make_optimizer(std::string_view text) override;

  void begin(const RunShape&) override {
    broadcast_model(copies_.parameters, copies_.buffers, copies_.communicator);
    master_.values().copy_(shards_.own().values());
    connect();
  }

  Place place() const override {
    const int before = options_.servers;
    return {copies_.communicator.rank() < before ? -1 : copies_.communicator.rank() - before,
            copies_.communicator.size() - before};
  }

  bool runs_free() const override { return !options_.sync; }
  bool meets(std::int64_t) const override { return options_.sync; }

  Forward gradient(const Batch& batch, const StepKey& key) override {
    if (options_.sync && serving_) serving_->open(/*one_push=*/true);
    const Batch own = options_.sync ? batch : batch.alone();
    pushing_->begin(rates_);
    Forward forward = copies_.engine.gradient(
        own, key, [this](std::int64_t begin, std::int64_t end) { pushing_->fill(begin, end); });
    if (options_.sync && batch.size() > 0) {  // of this rank's share, to be the mean over it
      forward.loss =
          forward.loss * (static_cast<double>(batch.whole()) / static_cast<double>(batch.size()));
    }
    return forward;
  }

  Tensor update(Optimizer& optimizer, const Objective& objective, const Rates& rates) override {
    rates_ = rates;
    return optimizer.step(objective, rates);
  }

  void attend(std::int64_t) override {
    serving_->open(/*one_push=*/true);
    serving_->close();
  }

  void depart() override {
    if (serving_) serving_->open(/*one_push=*/false);
  }

  void rest() override {
    if (pushing_) pushing_->rest();
    if (pushing_ && serves()) server_->rest(number());
    if (serving_) serving_->close();
    if (options_.forgives()) count_workers();
  }

  // Nobody pushes now.
  void synchronise() override {
    if (serves()) shards_.own().values().copy_(master_.values());
    for (int server = 0; server < shards_.parts(); ++server) {
      copies_.communicator.broadcast(shards_.of(server, copies_.parameters.values()), server);
    }
    average_buffers(copies_.buffers, copies_.communicator, options_.servers);
  }

  void restored() override { shards_.put_back(); }

  double communication_seconds() const override { return communication_seconds_; }

  std::int64_t bytes() const override {
    return (serving_ ? serving_->bytes() : 0) + (pushing_ ? pushing_->bytes() : 0);
  }

  Counters counters() const override {
    if (!server_) return {};
    const ServerCounts counts = server_->counts();
    const auto updates = static_cast<double>(counts.updates);
    return {{"updates", updates},
            {"staleness_mean", static_cast<double>(counts.staleness_sum) / std::max(1.0, updates)},
            {"staleness_most", static_cast<double>(counts.staleness_most)},
            {"lead_most", static_cast<double>(counts.lead_most)},
            {"workers_lost", static_cast<double>(ever_) - static_cast<double>(workers_.size())}};
  }
  std::vector<std::string> news() override { return std::exchange(news_, {}); }

 private:
  class Servers;

  void check_optimizer(std::string_view text, const SumOverRanks& sum) const;

  /// Sends what is left of the gradient, and takes what has become of the parameters.
  void exchange() {
    const Stopwatch watch;
    if (serves()) {
      server_->push(number(), shards_.own().gradients(), rates_);
      server_->pull(number(), shards_.own().values());
    }
    pushing_->finish();
    if (options_.sync && serving_) serving_->close();
    communication_seconds_ += watch.seconds();
  }

  bool serves() const { return rank_ < shards_.parts(); }
  int number() const { return rank_ - options_.servers; }  // among all workers there ever were

  void connect();
  void count_workers();

  const ServerOptions options_;
  const int rank_;  // at the start, as all numbers of ranks but those in the communicator
  Shards shards_;
  FlatParameters master_;                // this server's part, which only it changes
  std::unique_ptr<ShardedState> state_;  // of the part's optimizer
  std::unique_ptr<PartServer> server_;
  const int ever_;            // workers at the start
  std::vector<int> workers_;  // the numbers of those that are left, by place
  std::vector<std::string> news_;
  Rates rates_;
  double communication_seconds_ = 0;
  std::unique_ptr<Pushing> pushing_;  // of a worker
  std::unique_ptr<Serving> serving_;  // last: its threads use what is above
};

/// Pairs come in one order on all ranks, so that none waits for one that waits for it.
void ParameterServer::connect() {
  constexpr int kServersPatience = 24;  // workers may evaluate for long
  std::vector<Client> clients;
  std::vector<Provider> providers;
  for (int server = 0; server < shards_.parts(); ++server) {
    for (const int number : workers_) {
      const int worker = options_.servers + number;
      if (server == worker || (server != rank_ && worker != rank_)) continue;
      auto link = std::make_unique<Link>(copies_.communicator, server, worker,
                                         server == rank_ ? kServersPatience : 1);
      if (server == rank_) {
        clients.push_back({.worker = number, .link = std::move(link)});
      } else {
        providers.push_back({.server = server, .link = std::move(link)});
      }
    }
  }
  const auto buckets =
      cut_into_buckets(copies_.parameters, options_.bucket_bytes, options_.bucket_bytes);
  if (rank_ >= options_.servers) {
    pushing_ = std::make_unique<Pushing>(copies_.parameters, shards_, buckets, options_.overlap,
                                         std::move(providers));
  }
  if (serves()) {
    serving_ = std::make_unique<Serving>(*server_, pieces_of(buckets, shards_, rank_),
                                         master_.size(), options_.forgives(), std::move(clients));
  }
}

/// Those that are lost rest for good: the others go on with their images.
void ParameterServer::count_workers() {
  Communicator& ranks = copies_.communicator;
  const Tensor alive =
      agree_on_workers(ranks, options_.servers, ever_, serving_.get(), pushing_.get());
  const auto left = left_of(workers_, alive);
  if (left.size() == workers_.size()) return;
  std::vector<int> members(static_cast<std::size_t>(options_.servers));
  std::iota(members.begin(), members.end(), 0);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const int rank = options_.servers + static_cast<int>(i), number = workers_[i];
    if (std::find(left.begin(), left.end(), number) != left.end()) {
      members.push_back(rank);
    } else if (rank_ == 0) {
      const Peer& peer = ranks.group().peers[static_cast<std::size_t>(rank)];
      news_.push_back(fmt::format("lost       rank {} on {}; its images go to the {} workers left",
                                  peer.rank, peer.host, left.size()));
    }
  }
  shrink(ranks, members);
  workers_ = left;
}

/// To a worker, servers are what moves the parameters.
class ParameterServer::Servers final : public Optimizer {
 public:
  explicit Servers(ParameterServer& strategy) : strategy_(strategy) {}

  Tensor step(const Objective& objective, const Rates&) override {
    Tensor loss = objective();
    strategy_.exchange();
    return loss;
  }
  double default_lr() const override { return strategy_.state_->part().default_lr(); }
  NamedTensors state() override { return strategy_.state_->whole(); }

 private:
  ParameterServer& strategy_;
};

/// Refuses now, rather than in the first step, what servers cannot do.
void ParameterServer::check_optimizer(std::string_view text, const SumOverRanks& sum) const {
  FlatParameters nothing = master_.part(0, 0);
  const auto trial = yoke::make_optimizer(text, Shard(nothing, sum));
  if (!trial->first_order()) {
    throw UsageError(fmt::format(
        "--optimizer {} asks for several gradients in a step, but workers push one; give "
        "--strategy allreduce, or an optimizer that takes one: sgd, adam",
        text));
  }
  trial->step([] { return torch::zeros({}); }, {});
}

std::unique_ptr<Optimizer> ParameterServer::make_optimizer(std::string_view text) {
  SumOverRanks sum;
  if (shards_.parts() > 1) {
    sum = [](const Tensor&) {
      throw UsageError(
          "this optimizer needs sums over all parameters, of which a server has only a part; give "
          "servers=1, or --strategy allreduce");
    };
  }
  check_optimizer(text, sum);
  state_ = std::make_unique<ShardedState>(
      [&](const Shard& shard) { return yoke::make_optimizer(text, shard); }, Shard(master_, sum),
      shards_);
  server_ = std::make_unique<PartServer>(master_, state_->part(),
                                         ServerRules{.workers = ever_,
                                                     .sync = options_.sync,
                                                     .staleness = options_.staleness,
                                                     .overlap = options_.overlap});
  return std::make_unique<Servers>(*this);
}

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(const Copies& copies, Options& options) {
  const ServerOptions chosen = read_server_options(options, copies.communicator.size());
  if (copies.scaler != nullptr) {
    throw UsageError(
        "parameter-server moves the parameters on servers, which do not know by what scale each "
        "worker multiplied its loss; give --strategy allreduce, or --precision fp32");
  }
  if (!copies.parameters.values().is_cpu()) {
    throw UsageError(
        "parameter-server keeps the parameters in the memory of processors; give --device cpu, or "
        "--strategy allreduce for GPUs");
  }
  return std::make_unique<ParameterServer>(copies, chosen);
}

}  // namespace yoke
