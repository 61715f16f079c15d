// yoke/parallel/parameter_server.cpp: servers keep the parameters and the optimizer's state, each a
// part; workers push gradients and pull parameters (Li et al. 2014, "Scaling Distributed Machine
// Learning with the Parameter Server").
//
// Servers are the first ranks, which then have no images, or, by themselves, every rank beside its
// worker. mode=sync is the step of all-reduce; mode=async moves the parameters at every push, with
// bounded staleness (Ho et al. 2013).
#include <fmt/format.h>

#include "yoke/core/clock.h"
#include "yoke/core/error.h"
#include "yoke/parallel/agreement.h"
#include "yoke/parallel/buckets.h"
#include "yoke/parallel/server/serving.h"
#include "yoke/parallel/sharded_state.h"
#include "yoke/parallel/strategy.h"

namespace yoke {
namespace {

using torch::Tensor;

struct ServerOptions {
  int servers = 0;  // ranks that serve alone; 0: all serve and work
  bool sync = true;
  std::int64_t staleness = kUnbounded;
  std::int64_t bucket_bytes = 0;
};

ServerOptions read(Options& options, int ranks) {
  constexpr double kMiB = 1 << 20;
  ServerOptions chosen;
  chosen.servers = static_cast<int>(options.get("servers", std::int64_t{0}, 0));
  chosen.sync = options.get("mode", std::string("sync"), {"sync", "async"}) == "sync";
  const bool unbounded = !options.contains("staleness") ||
                         options.get("staleness", std::string("unbounded")) == "unbounded";
  if (!unbounded) chosen.staleness = options.get("staleness", std::int64_t{0}, 0);
  chosen.bucket_bytes = static_cast<std::int64_t>(kMiB * options.get("bucket_mib", 1.0, 0.0, 1e6));
  if (chosen.servers > 0 && chosen.servers >= ranks) {
    throw UsageError(fmt::format(
        "parameter-server was given servers={} for {} ranks; allowed: 0 (every rank serves and "
        "works) to {}, so that a rank is left to work",
        chosen.servers, ranks, ranks - 1));
  }
  if (chosen.sync && !unbounded) {
    throw UsageError("parameter-server was given staleness with mode=sync; give mode=async");
  }
  return chosen;
}

class ParameterServer final : public Strategy {
 public:
  ParameterServer(const Copies& copies, const ServerOptions& options)
      : Strategy(copies),
        options_(options),
        rank_(copies.communicator.rank()),
        shards_(copies.parameters, copies.communicator, options.servers),
        master_(shards_.own().clone()),
        filler_(cut_into_buckets(copies.parameters, options.bucket_bytes, options.bucket_bytes),
                [this](std::size_t bucket) { send(bucket); }) {}

  std::unique_ptr<Optimizer> make_optimizer(std::string_view text) override;

  void begin(const RunShape&) override {
    broadcast_model(copies_.parameters, copies_.buffers, copies_.communicator);
    master_.values().copy_(shards_.own().values());
    connect();
  }

  Place place() const override {
    return {rank_ < options_.servers ? -1 : rank_ - options_.servers,
            copies_.communicator.size() - options_.servers};
  }

  bool runs_free() const override { return !options_.sync; }
  bool meets(std::int64_t) const override { return options_.sync; }

  Forward gradient(const Batch& batch, const StepKey& key) override {
    if (options_.sync && serving_) serving_->open(/*one_push=*/true);
    filler_.reset();
    const Batch own = options_.sync ? batch : batch.alone();
    for (auto& [server, link] : links_) link->ask(Link::Request::kPush, rates_);
    Forward forward = copies_.engine.gradient(
        own, key, [this](std::int64_t begin, std::int64_t end) { filler_.fill(begin, end); });
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
    if (place().index >= 0) {
      for (auto& [server, link] : links_) link->ask(Link::Request::kRest);
      if (serves()) server_->rest(place().index);
    }
    if (serving_) serving_->close();
  }

  // Nobody pushes now.
  void synchronise() override {
    if (serves()) shards_.own().values().copy_(master_.values());
    for (int server = 0; server < shards_.parts(); ++server) {
      copies_.communicator.broadcast(part(copies_.parameters.values(), server), server);
    }
    average_buffers(copies_.buffers, copies_.communicator, options_.servers);
  }

  void restored() override { shards_.put_back(); }

  double communication_seconds() const override { return communication_seconds_; }

  std::int64_t bytes() const override {
    std::int64_t bytes = serving_ ? serving_->bytes() : 0;
    for (const auto& [server, link] : links_) bytes += link->bytes();
    return bytes;
  }

  Counters counters() const override {
    if (!server_) return {};
    const ServerCounts counts = server_->counts();
    const auto updates = static_cast<double>(counts.updates);
    return {{"updates", updates},
            {"staleness_mean", static_cast<double>(counts.staleness_sum) / std::max(1.0, updates)},
            {"staleness_most", static_cast<double>(counts.staleness_most)},
            {"lead_most", static_cast<double>(counts.lead_most)}};
  }

 private:
  class Servers;

  void check_optimizer(std::string_view text, const SumOverRanks& sum) const;

  /// Sends what is left, and takes what has become of the parameters.
  void exchange() {
    const Stopwatch watch;
    for (auto& [server, link] : links_) {
      works_.push_back(link->receive(part(copies_.parameters.values(), server)));
    }
    if (serves()) {
      server_->push(place().index, shards_.own().gradients(), rates_);
      server_->pull(place().index, shards_.own().values());
    }
    for (const auto& work : works_) work.wait();
    works_.clear();
    if (options_.sync && serving_) serving_->close();
    communication_seconds_ += watch.seconds();
  }

  bool serves() const { return rank_ < shards_.parts(); }

  Tensor part(const Tensor& flat, int server) const {
    return flat.narrow(0, shards_.begin_of(server),
                       shards_.end_of(server) - shards_.begin_of(server));
  }

  /// The elements of a bucket that are of `server`.
  Bucket piece(const Bucket& bucket, int server) const {
    const std::int64_t begin = std::max(bucket.begin, shards_.begin_of(server));
    return {begin, std::max(begin, std::min(bucket.end, shards_.end_of(server)))};
  }

  void send(std::size_t bucket) {
    for (auto& [server, link] : links_) {
      const auto [begin, end] = piece(filler_.buckets()[bucket], server);
      if (begin == end) continue;
      works_.push_back(link->send(copies_.parameters.gradients().narrow(0, begin, end - begin)));
    }
  }

  /// Pairs come in one order on all ranks, so that none waits for one that waits for it.
  void connect() {
    constexpr int kServersPatience = 24;  // workers may evaluate for long
    std::vector<Client> clients;
    for (int server = 0; server < shards_.parts(); ++server) {
      for (int worker = options_.servers; worker < copies_.communicator.size(); ++worker) {
        if (server == worker) continue;
        const int number = worker - options_.servers;
        if (server == rank_) {
          clients.push_back({number, std::make_unique<Link>(copies_.communicator, server, worker,
                                                            kServersPatience)});
        } else if (worker == rank_) {
          links_.emplace_back(server,
                              std::make_unique<Link>(copies_.communicator, server, worker, 1));
        }
      }
    }
    if (!serves()) return;
    std::vector<Bucket> pieces;
    for (const Bucket& bucket : filler_.buckets()) {
      const auto [begin, end] = piece(bucket, rank_);
      const std::int64_t first = shards_.begin_of(rank_);
      if (begin < end) pieces.push_back({begin - first, end - first});
    }
    serving_ = std::make_unique<Serving>(*server_, pieces, master_.size(), std::move(clients));
  }

  const ServerOptions options_;
  const int rank_;
  Shards shards_;
  FlatParameters master_;                // this server's part, which only it changes
  std::unique_ptr<ShardedState> state_;  // of the part's optimizer
  std::unique_ptr<PartServer> server_;
  BucketFiller filler_;
  std::vector<std::pair<int, std::unique_ptr<Link>>> links_;  // of this worker, by server
  std::vector<Work> works_;
  Rates rates_;
  double communication_seconds_ = 0;
  std::unique_ptr<Serving> serving_;  // last: its threads use what is above
};

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
          "this optimizer needs norms over all parameters, of which a server has only a part; give "
          "servers=1, or --strategy allreduce");
    };
  }
  check_optimizer(text, sum);
  state_ = std::make_unique<ShardedState>(
      [&](const Shard& shard) { return yoke::make_optimizer(text, shard); }, Shard(master_, sum),
      shards_);
  server_ = std::make_unique<PartServer>(
      master_, state_->part(),
      ServerRules{
          .workers = place().count, .sync = options_.sync, .staleness = options_.staleness});
  return std::make_unique<Servers>(*this);
}

}  // namespace

std::unique_ptr<Strategy> make_parameter_server(const Copies& copies, Options& options) {
  const ServerOptions chosen = read(options, copies.communicator.size());
  if (!copies.parameters.values().is_cpu()) {
    throw UsageError(
        "parameter-server keeps the parameters in the memory of processors; give --device cpu, or "
        "--strategy allreduce for GPUs");
  }
  return std::make_unique<ParameterServer>(copies, chosen);
}

}  // namespace yoke
