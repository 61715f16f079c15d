// yoke/comm/communicators/hierarchical.cpp: shared memory inside each host, another communicator
// between hosts.
//
// An all-reduce is done in three steps, as in Goyal et al., "Accurate, Large Minibatch SGD", 2017,
// section 4: sum inside each host; then lane l, which is the l-th rank of every host, sums the l-th
// part of the tensor between hosts, all lanes at once; then the parts are shared inside each host.
// There are as many lanes as every host has ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"

namespace yoke {
namespace {

using torch::Tensor;

/// The ranks of every host, in the order of their first ones.
std::vector<std::vector<int>> hosts_of(const Group& group) {
  std::vector<std::vector<int>> hosts;
  for (int rank = 0; rank < group.size; ++rank) {
    const auto& memory = group.peers[static_cast<std::size_t>(rank)].memory;
    const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const auto& host) {
      return group.peers[static_cast<std::size_t>(host.front())].memory == memory;
    });
    found == hosts.end() ? hosts.push_back({rank}) : found->push_back(rank);
  }
  return hosts;
}

/// Some ranks of the group and what connects them; nothing for one rank.
struct Part {
  std::vector<int> ranks;
  std::unique_ptr<Transport> transport;

  void run(const Operation& operation) const {
    attempt([&] { transport->run(operation); });
  }
  void compare(const Signature& signature) const {
    attempt([&] { transport->compare(signature); });
  }

 private:
  /// @throws CommError that names the ranks as the whole group does.
  void attempt(const std::function<void()>& work) const {
    if (!transport) return;
    try {
      work();
    } catch (const Mismatch& error) {
      throw error.of(ranks);
    } catch (const std::exception& error) {
      throw CommError(fmt::format("among the ranks {}, which are numbered from 0 here: {}",
                                  fmt::join(ranks, ", "), error.what()));
    }
  }
};

class Hierarchical final : public Transport {
 public:
  Hierarchical(const Group& group, const std::string& between) : hosts_(hosts_of(group)) {
    host_.ranks = group.neighbours();
    lanes_ = group.size;
    for (const auto& host : hosts_) lanes_ = std::min(lanes_, static_cast<int>(host.size()));
    const auto own = std::find(host_.ranks.begin(), host_.ranks.end(), group.rank);
    own_ = static_cast<int>(own - host_.ranks.begin());
    if (host_.ranks.size() > 1) {
      const Group part = group.part(host_.ranks, fmt::format("host/{}", host_.ranks.front()));
      host_.transport = make_inner_transport(kSharedMemory, part, "inside");
    }
    all_.transport = make_inner_transport(between, group, "all");
    for (int rank = 0; rank < group.size; ++rank) all_.ranks.push_back(rank);
    if (own_ >= lanes_) return;
    for (const auto& host : hosts_) lane_.ranks.push_back(host[static_cast<std::size_t>(own_)]);
    const Group part = group.part(lane_.ranks, fmt::format("lane/{}", own_));
    lane_.transport = make_inner_transport(between, part, "between");
  }

  std::string describe() const override {
    return fmt::format("hierarchical ({} hosts, {} lanes; between hosts: {})", hosts_.size(),
                       lanes_, all_.transport->describe());
  }

  Tensor allocate(std::int64_t elements) override {
    return host_.transport ? host_.transport->allocate(elements)
                           : all_.transport->allocate(elements);
  }

  void run(const Operation& operation) override {
    if (operation.kind == Collective::kAllReduce) return all_reduce(operation.input);
    if (is_collective(operation.kind)) {  // where others may be about to all-reduce
      const Signature signature = signature_of(operation);
      host_.compare(signature);
      lane_.compare(signature);
    }
    all_.run(operation);
  }

 private:
  void all_reduce(const Tensor& tensor) {
    host_.run(Operation::all_reduce(tensor));
    const Tensor flat = tensor.view(-1);
    if (own_ < lanes_ && part(flat, own_).numel() > 0) {
      lane_.run(Operation::all_reduce(part(flat, own_)));
    }
    for (int lane = 0; lane < lanes_; ++lane) {
      if (part(flat, lane).numel() > 0) host_.run(Operation::broadcast(part(flat, lane), lane));
    }
  }

  /// What lane `lane` sums; empty for the last ones of a short tensor.
  Tensor part(const Tensor& flat, int lane) const {
    const std::int64_t most = (flat.numel() + lanes_ - 1) / lanes_;
    const std::int64_t begin = std::min(flat.numel(), most * lane);
    return flat.narrow(0, begin, std::min(most, flat.numel() - begin));
  }

  const std::vector<std::vector<int>> hosts_;

  int lanes_ = 1;
  int own_ = 0;  ///< Among the ranks of this host.
  Part host_, lane_, all_;
};

struct HierarchicalOptions {
  std::string between = kGloo;
};

std::unique_ptr<Transport> make_hierarchical(const Group& group,
                                             const HierarchicalOptions& options) {
  if (group.size == 1) return nullptr;
  const auto hosts = hosts_of(group);
  if (hosts.size() == 1) return make_inner_transport(kSharedMemory, group, "inside");
  const bool alone =
      std::all_of(hosts.begin(), hosts.end(), [](const auto& host) { return host.size() == 1; });
  if (alone) return make_inner_transport(options.between, group, "between");
  return std::make_unique<Hierarchical>(group, options.between);
}

}  // namespace

CommunicatorPlugin hierarchical_communicator() {
  const OptionTable<HierarchicalOptions> options = {{"between", &HierarchicalOptions::between,
                                                     name_format({kGloo, "mpi"}),
                                                     "the communicator between hosts"}};
  return {options, make_hierarchical, [](const HierarchicalOptions& chosen) {
            return CommunicatorTraits{.plan = forecast::CommunicatorPlan{.between = chosen.between,
                                                                         .within = kSharedMemory}};
          }};
}

}  // namespace yoke
