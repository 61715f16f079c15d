// yoke/comm/communicator.h: a group of ranks, and the operations it does together.
#pragma once
#include <torch/types.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "yoke/comm/group.h"
#include "yoke/comm/transport.h"

namespace yoke {

/// What went over a communicator so far.
struct Traffic {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;  ///< Of the operations' tensors, on this rank.
  double seconds = 0;      ///< Spent in operations, waiting for others included.
};

/// A fixed group of ranks. All ranks do the same operations in the same order, with tensors of the
/// same dtype and size; operations of one communicator are done one after the other, those of
/// several side by side. One thread calls it.
class Communicator {
 public:
  /// `transport` is null in a group of one rank. `name` is that of the registry.
  Communicator(const Group& group, std::string name, std::unique_ptr<Transport> transport);
  /// Finishes what was started.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Group& group() const { return group_; }
  int rank() const { return group_.rank; }  ///< In [0, size()).
  int size() const { return group_.size; }  ///< At least 1.
  /// The name to give again for the same one: `gloo`.
  const std::string& name() const { return name_; }
  /// For people: `gloo (eth0, 10.0.0.5)`.
  std::string describe() const;
  /// Every operation so far, finished or not.
  Traffic traffic() const;

  /// Starts an operation; its tensors belong to it until the work was waited for.
  /// @throws Error when the operation is not allowed.
  Work start(const Operation& operation);
  /// Does an operation. @throws CommError when a peer is lost or late; the group is then dead.
  void run(const Operation& operation);

  void all_reduce(const torch::Tensor& tensor) { run(Operation::all_reduce(tensor)); }
  void reduce_scatter(const torch::Tensor& input, const torch::Tensor& output) {
    run(Operation::reduce_scatter(input, output));
  }
  void all_gather(const torch::Tensor& input, const torch::Tensor& output) {
    run(Operation::all_gather(input, output));
  }
  void broadcast(const torch::Tensor& tensor, int root) { run(Operation::broadcast(tensor, root)); }
  void send(const torch::Tensor& tensor, int to) { run(Operation::send(tensor, to)); }
  void receive(const torch::Tensor& tensor, int from) { run(Operation::receive(tensor, from)); }

  /// Zeros, fp32 [elements], that all_reduce() reduces without copies where the transport can. All
  /// ranks call it alike.
  torch::Tensor allocate(std::int64_t elements);

 private:
  struct Started {
    Operation operation;
    std::promise<void> done;
  };

  bool trivial(const Operation& operation) const;
  void attempt(const Operation& operation);
  void serve();

  const Group group_;
  const std::string name_;
  const std::unique_ptr<Transport> transport_;

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable wake_;
  std::deque<Started> queue_;
  bool busy_ = false;  ///< An operation of the queue is being done.
  bool stop_ = false;
  std::string failure_;  ///< Why the group is dead; empty while it lives.
  Traffic traffic_;
  std::thread thread_;  ///< Does the queue; started when first needed.
};

}  // namespace yoke
