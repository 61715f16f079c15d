// yoke/parallel/server/pushing.h: a worker and its servers.
#pragma once
#include <memory>
#include <vector>

#include "yoke/core/flat_parameters.h"
#include "yoke/parallel/server/pieces.h"
#include "yoke/parallel/server/server_link.h"

namespace yoke {

/// A server on another rank.
struct Provider {
  int server = 0;  ///< Its rank, whose part it serves.
  std::unique_ptr<ServerLink> link;
};

/// Pushes gradients to every server, in buckets as they fill up, and pulls what became of the
/// parameters.
class Pushing {
 public:
  /// With `overlap`, what a push led to is taken in after the next one: it comes while the gradient
  /// between them is computed. The rest must outlive it.
  Pushing(FlatParameters& parameters, const Shards& shards, std::vector<Bucket> buckets,
          bool overlap, std::vector<Provider> providers);

  /// Before a gradient is computed.
  void begin(const Rates& rates);
  /// Elements [begin, end) of it are there.
  void fill(std::int64_t begin, std::int64_t end) { filler_.fill(begin, end); }
  /// Once it is whole: sends what is left of it, and takes in parameters.
  void finish();

  /// Takes in what is still under way, and pushes nothing for a while.
  void rest();
  /// What server 0 tells those who rest: `numbers`, int64.
  void hear(const torch::Tensor& numbers);

  std::int64_t bytes() const;

 private:
  void send(const Bucket& bucket);
  void pull();
  void take_in();

  FlatParameters& parameters_;
  const Shards& shards_;
  const bool overlap_;
  BucketFiller filler_;
  torch::Tensor pulled_;  // [P]: with overlap, where parameters arrive; else the parameters
  std::vector<Work> pushes_, pulls_;
  std::vector<Provider> providers_;  // last: their work uses what is above
};

}  // namespace yoke
