// yoke/comm/communicator.h: a group of ranks, and the operations it does together.
#pragma once
#include <torch/types.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "yoke/comm/liveness.h"
#include "yoke/comm/rendezvous/group.h"
#include "yoke/comm/transport.h"

namespace yoke {

/// What went over a communicator so far.
struct Traffic {
  std::int64_t operations = 0;
  std::int64_t bytes = 0;  ///< Of the operations' tensors, on this rank.
  double seconds = 0;      ///< Spent in operations, waiting for others included.
};

/// A group of ranks. All ranks do the same operations in the same order, with tensors of the
/// same dtype and size; operations of one communicator are done one after the other, those of
/// several side by side. One thread calls it.
class Communicator {
 public:
  /// `transport` is null in a group of one rank. `name` is what to give to make_communicator() for
  /// the same one. `note` is for people, behind the transport's own words.
  Communicator(const Group& group, std::string name, std::unique_ptr<Transport> transport,
               std::string note = "");
  /// Finishes what was started.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Group& group() const { return group_; }
  /// Goes on with another group, connected by `transport`, when nothing is under way.
  void regroup(const Group& group, std::unique_ptr<Transport> transport);
  int rank() const { return group_.rank; }  ///< In [0, size()).
  int size() const { return group_.size; }  ///< At least 1.
  /// The name to give again for the same one: `gloo`.
  const std::string& name() const { return name_; }
  /// For people: `gloo (eth0, 10.0.0.5)`.
  std::string describe() const;
  /// Says which step of a training this rank is in; for messages when a rank is lost. From any
  /// thread.
  void set_step(std::int64_t step) { step_ = step; }
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

  /// Zeros, fp32 [elements], that all_reduce(), reduce_scatter() (as input) and all_gather() (as
  /// output) take without copies where the transport can. All ranks call it alike, and use the
  /// same elements in an operation.
  torch::Tensor allocate(std::int64_t elements);

 private:
  /// An operation in the queue; its Work may outlive the communicator.
  struct Started {
    Operation operation;
    std::mutex mutex;  ///< Guards what follows.
    std::condition_variable ready;
    bool done = false;
    std::string failure;  ///< Empty unless it failed.
  };

  bool trivial(const Operation& operation) const;
  std::string attempt(const Operation& operation);  ///< Returns why it failed; empty when done.
  std::string explain(const Operation& operation, const std::string& why) const;
  void serve();
  Position position() const;

  void begin();

  Group group_;
  const std::string name_;
  const std::string note_;
  std::unique_ptr<Transport> transport_;
  std::atomic<std::int64_t> step_ = -1;

  mutable std::mutex mutex_;  ///< Guards what follows.
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Started>> queue_;
  bool busy_ = false;  ///< An operation of the queue is being done.
  bool stop_ = false;
  std::string failure_;  ///< Why the group is dead; empty while it lives.
  Traffic traffic_;
  std::int64_t started_ = 0;            ///< Operations so far, that under way included.
  const Operation* current_ = nullptr;  ///< Under way.
  std::thread thread_;                  ///< Does the queue; started when first needed.
  std::unique_ptr<Liveness> liveness_;  ///< In a group of several ranks.
};

}  // namespace yoke
