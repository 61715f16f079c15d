// yoke/parallel/server/server_link.h: what a worker and a server send each other.
#pragma once
#include <memory>
#include <vector>

#include "yoke/comm/communicator.h"
#include "yoke/optim/schedule.h"
#include "yoke/parallel/buckets.h"

namespace yoke {

/// A connection between two ranks, of which one serves a part of the parameters to the other.
class ServerLink {
 public:
  enum class Request { kPush = 1, kRest };

  /// Connects this rank with rank `other` of the group of `communicator`, by the same kind of
  /// communicator; the other does so, too. `patience` times the group's timeout is how long it
  /// waits for the other. @throws CommError.
  ServerLink(const Communicator& communicator, int server, int worker, int patience);

  /// The worker's side.
  void ask(Request request, const Rates& rates = {});
  Work send(const torch::Tensor& tensor) {
    return communicator_->start(Operation::send(tensor, 1 - own()));
  }
  Work receive(const torch::Tensor& tensor) {
    return communicator_->start(Operation::receive(tensor, 1 - own()));
  }

  /// The server's side. Sets `rates` at a push.
  Request next(Rates& rates);

  std::int64_t bytes() const { return communicator_->traffic().bytes; }

 private:
  int own() const { return communicator_->rank(); }

  std::unique_ptr<Communicator> communicator_;
  torch::Tensor header_;  // fp64 [3]: the request, the learning rate, the momentum or NaN
  Work asked_;
};

}  // namespace yoke
