// yoke/parallel/strategies/parameter_server.cpp: servers keep the parameters and the optimizer's
// state, each a part; workers push gradients and pull parameters (Li et al. 2014, "Scaling
// Distributed Machine Learning with the Parameter Server").
//
// Servers are the first ranks, which then have no images, or, by themselves, every rank beside its
// worker. mode=sync is the step of all-reduce; mode=async moves the parameters at every push, with
// bounded staleness (Ho et al. 2013), and, where ranks serve alone, goes on without workers that
// are lost.
#include <fmt/format.h>

#include <numeric>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/system/clock.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/server/pushing.h"
#include "yoke/parallel/server/roster.h"
#include "yoke/parallel/server/server_options.h"
#include "yoke/parallel/sharding/sharded_state.h"
#include "yoke/parallel/strategy.h"
#include "yoke/parallel/workers/free_running.h"
#include "yoke/parallel/workers/in_step.h"

namespace yoke {
namespace {

using torch::Tensor;

class ParameterServer final : public Strategy {
 public:
  ParameterServer(const StrategyContext& context, const ServerOptions& options)
      : context_(context),
        options_(options),
        rank_(context.communicator.rank()),
        shards_(context.parameters, context.communicator, options.servers),
        master_(shards_.own().clone()),
        ever_(context.communicator.size() - options.servers),
        numbers_(static_cast<std::size_t>(ever_)) {
    std::iota(numbers_.begin(), numbers_.end(), 0);
    workers_ = make_workers();
    make_optimizer();
  }

  // Where several ranks fail at once none may wait for another: nothing more is served, and the
  // others' servers see this worker go before this rank waits for their workers.
  ~ParameterServer() override {
    if (server_) server_->fail("the server has ended");
    pushing_.reset();
  }

  Workers& workers() override { return *workers_; }

  void begin(const RunShape&) override {
    broadcast_model(context_.parameters, context_.buffers, context_.communicator);
    master_.values().copy_(shards_.own().values());
    connect();
  }

  StepResult step(const Batch& batch, const StepKey& key, const Rates& rates) override {
    const Stopwatch watch;
    if (options_.sync && serving_) serving_->open(/*one_push=*/true);
    Forward forward{.loss = torch::zeros({}), .scores = torch::empty({0, 1})};
    if (pushing_) forward = gradient(batch, key, rates);
    const double computed = pushing_ ? watch.seconds() : 0;
    exchange(rates);
    return {forward.loss, forward.scores, watch.seconds() - computed};
  }

  // Nobody pushes now.
  std::function<void()> synchronise() override {
    if (serves()) shards_.own().values().copy_(master_.values());
    for (int server = 0; server < shards_.parts(); ++server) {
      context_.communicator.broadcast(shards_.of(server, context_.parameters.values()), server);
    }
    average_buffers(context_.buffers, context_.communicator, options_.servers);
    return [] {};
  }

  NamedTensors state() override { return state_->whole(); }

  void restored() override { shards_.put_back(); }

  StrategyStatistics statistics() const override {
    return {.bytes = (serving_ ? serving_->bytes() : 0) + (pushing_ ? pushing_->bytes() : 0),
            .counters = counters()};
  }

 private:
  std::unique_ptr<Workers> make_workers();
  DataShard data_shard() const;
  void depart();
  std::vector<std::string> rest();
  void make_optimizer();
  void check_optimizer(const SumOverRanks& sum) const;
  Counters counters() const;

  /// Of this worker's images; pushes it, bucket by bucket, as it is computed.
  Forward gradient(const Batch& batch, const StepKey& key, const Rates& rates) {
    const Batch own = options_.sync ? batch : batch.alone();
    pushing_->begin(rates);
    Forward forward = context_.engine.gradient(
        own, key, [this](std::int64_t begin, std::int64_t end) { pushing_->fill(begin, end); });
    if (options_.sync && batch.size() > 0) {  // of this rank's share, to be the mean over it
      forward.loss =
          forward.loss * (static_cast<double>(batch.whole()) / static_cast<double>(batch.size()));
    }
    return forward;
  }

  /// Sends what is left of the gradient, and takes what has become of the parameters.
  void exchange(const Rates& rates) {
    if (pushing_ && serves()) {
      server_->push(number(), shards_.own().gradients(), rates);
      server_->pull(number(), shards_.own().values());
    }
    if (pushing_) pushing_->finish();
    if (options_.sync && serving_) serving_->close();
  }

  bool serves() const { return rank_ < shards_.parts(); }
  int number() const { return rank_ - options_.servers; }  // among all workers there ever were

  void connect();
  std::vector<std::string> count_workers();

  const StrategyContext context_;
  const ServerOptions options_;
  const int rank_;  // at the start, as all numbers of ranks but those in the communicator
  Shards shards_;
  FlatParameters master_;                // this server's part, which only it changes
  std::unique_ptr<ShardedState> state_;  // of the part's optimizer
  std::unique_ptr<PartServer> server_;
  const int ever_;            // workers at the start
  std::vector<int> numbers_;  // the numbers of those that are left, by place
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<Pushing> pushing_;  // of a worker
  std::unique_ptr<Serving> serving_;  // last: its threads use what is above
};

std::unique_ptr<Workers> ParameterServer::make_workers() {
  if (options_.sync) return std::make_unique<InStep>(data_shard());
  return std::make_unique<FreeRunning>(
      context_.communicator, FreeRunning::Hooks{.data_shard = [this] { return data_shard(); },
                                                .depart = [this] { depart(); },
                                                .rest = [this] { return rest(); }});
}

DataShard ParameterServer::data_shard() const {
  const int before = options_.servers;
  return {context_.communicator.rank() < before ? -1 : context_.communicator.rank() - before,
          context_.communicator.size() - before};
}

void ParameterServer::depart() {
  if (serving_) serving_->open(/*one_push=*/false);
}

std::vector<std::string> ParameterServer::rest() {
  if (pushing_) pushing_->rest();
  if (pushing_ && serves()) server_->rest(number());
  if (serving_) serving_->close();
  return options_.forgives() ? count_workers() : std::vector<std::string>();
}

Counters ParameterServer::counters() const {
  if (!server_) return {};
  const ServerCounts counts = server_->counts();
  const auto updates = static_cast<double>(counts.updates);
  return {{"updates", updates},
          {"staleness_mean", static_cast<double>(counts.staleness_sum) / std::max(1.0, updates)},
          {"staleness_most", static_cast<double>(counts.staleness_most)},
          {"lead_most", static_cast<double>(counts.lead_most)},
          {"workers_lost", static_cast<double>(ever_) - static_cast<double>(numbers_.size())}};
}

/// Pairs come in one order on all ranks, so that none waits for one that waits for it.
void ParameterServer::connect() {
  constexpr int kServersPatience = 24;  // workers may evaluate for long
  std::vector<Client> clients;
  std::vector<Provider> providers;
  for (int server = 0; server < shards_.parts(); ++server) {
    for (const int number : numbers_) {
      const int worker = options_.servers + number;
      if (server == worker || (server != rank_ && worker != rank_)) continue;
      auto link = std::make_unique<ServerLink>(context_.communicator, server, worker,
                                               server == rank_ ? kServersPatience : 1);
      if (server == rank_) {
        clients.push_back({.worker = number, .link = std::move(link)});
      } else {
        providers.push_back({.server = server, .link = std::move(link)});
      }
    }
  }
  const auto buckets =
      cut_into_buckets(context_.parameters, {options_.bucket_bytes(), options_.bucket_bytes()});
  if (rank_ >= options_.servers) {
    pushing_ = std::make_unique<Pushing>(context_.parameters, shards_, buckets, options_.overlap,
                                         std::move(providers));
  }
  if (serves()) {
    serving_ = std::make_unique<Serving>(*server_, pieces_of(buckets, shards_, rank_),
                                         master_.size(), options_.forgives(), std::move(clients));
  }
}

/// Those that are lost rest for good: the others go on with their images.
std::vector<std::string> ParameterServer::count_workers() {
  Communicator& ranks = context_.communicator;
  const Tensor alive =
      agree_on_workers(ranks, options_.servers, ever_, serving_.get(), pushing_.get());
  const auto left = left_of(numbers_, alive);
  if (left.size() == numbers_.size()) return {};
  std::vector<std::string> events;
  std::vector<int> members(static_cast<std::size_t>(options_.servers));
  std::iota(members.begin(), members.end(), 0);
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const int rank = options_.servers + static_cast<int>(i), number = numbers_[i];
    if (std::find(left.begin(), left.end(), number) != left.end()) {
      members.push_back(rank);
    } else if (rank_ == 0) {
      const Peer& peer = ranks.group().peers[static_cast<std::size_t>(rank)];
      events.push_back(fmt::format("lost       rank {} on {}; its images go to the {} workers left",
                                   peer.rank, peer.host, left.size()));
    }
  }
  shrink(ranks, members);
  numbers_ = left;
  return events;
}

/// Refuses now, rather than in the first step, what servers cannot do.
void ParameterServer::check_optimizer(const SumOverRanks& sum) const {
  if (!optimizers().choose(context_.optimizer).traits.first_order) {
    throw UsageError(fmt::format(
        "--optimizer {} asks for several gradients in a step, but workers push one; give "
        "--strategy allreduce, or an optimizer that takes one: sgd, adam",
        context_.optimizer));
  }
  FlatParameters nothing = master_.part(0, 0);
  yoke::make_optimizer(context_.optimizer, Shard(nothing, sum))
      ->step([] { return torch::zeros({}); }, {});
}

void ParameterServer::make_optimizer() {
  SumOverRanks sum;
  if (shards_.parts() > 1) {
    sum = [](const Tensor&) {
      throw UsageError(
          "this optimizer needs sums over all parameters, of which a server has only a part; give "
          "servers=1, or --strategy allreduce");
    };
  }
  check_optimizer(sum);
  state_ = std::make_unique<ShardedState>(
      [&](const Shard& shard) { return yoke::make_optimizer(context_.optimizer, shard); },
      Shard(master_, sum), shards_);
  server_ =
      std::make_unique<PartServer>(master_, state_->part(),
                                   ServerRules{.workers = ever_,
                                               .sync = options_.sync,
                                               .staleness = options_.staleness.value_or(kUnbounded),
                                               .overlap = options_.overlap});
}

std::unique_ptr<Strategy> make_parameter_server(const StrategyContext& context,
                                                const ServerOptions& options) {
  check(options, context.communicator.size());
  if (context.scaler != nullptr) {
    throw UsageError(
        "parameter-server moves the parameters on servers, which do not know by what scale each "
        "worker multiplied its loss; give --strategy allreduce, or --precision fp32");
  }
  if (!context.parameters.values().is_cpu()) {
    throw UsageError(
        "parameter-server keeps the parameters in the memory of processors; give --device cpu, or "
        "--strategy allreduce for GPUs");
  }
  return std::make_unique<ParameterServer>(context, options);
}

}  // namespace

StrategyPlugin parameter_server_strategy() {
  return {server_options(), make_parameter_server, [](const ServerOptions& options) {
            return StrategyTraits{.early_gradients = true,
                                  .plan = [options] { return plan_servers(options); }};
          }};
}

}  // namespace yoke
