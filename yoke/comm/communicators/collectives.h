// yoke/comm/communicators/collectives.h: a transport with a function for each kind of operation.
#pragma once
#include "yoke/comm/transport.h"

namespace yoke {

/// fp16 and bf16, which libraries cannot add, or not rounded once.
inline bool is_half(const torch::Tensor& tensor) {
  return tensor.scalar_type() == torch::kBFloat16 || tensor.scalar_type() == torch::kFloat16;
}

/// Calls the function of an operation's kind, with its tensors as Operation describes them.
class Collectives : public Transport {
 public:
  void run(const Operation& operation) final {
    if (is_collective(operation.kind)) begin(signature_of(operation));
    const torch::Tensor& input = operation.input;
    switch (operation.kind) {
      case Collective::kAllReduce:
        return all_reduce(input);
      case Collective::kReduceScatter:
        return reduce_scatter(input, operation.output);
      case Collective::kAllGather:
        return all_gather(input, operation.output);
      case Collective::kBroadcast:
        return broadcast(input, operation.peer);
      case Collective::kSend:
        return send(input, operation.peer);
      case Collective::kReceive:
        return receive(input, operation.peer);
    }
  }

 protected:
  /// An all-reduce by reduce_scatter() and all_gather(): each rank adds up a part.
  void all_reduce_by_parts(const torch::Tensor& tensor, int ranks);

 private:
  /// Comes before each collective operation: makes sure that ranks that do another one learn so
  /// before data is exchanged.
  virtual void begin(const Signature& signature) { compare(signature); }
  void all_reduce_slice(torch::Tensor slice, int ranks);
  virtual void all_reduce(const torch::Tensor& tensor) = 0;
  virtual void reduce_scatter(const torch::Tensor& input, const torch::Tensor& output) = 0;
  virtual void all_gather(const torch::Tensor& input, const torch::Tensor& output) = 0;
  virtual void broadcast(const torch::Tensor& tensor, int root) = 0;
  virtual void send(const torch::Tensor& tensor, int to) = 0;
  virtual void receive(const torch::Tensor& tensor, int from) = 0;
};

}  // namespace yoke
