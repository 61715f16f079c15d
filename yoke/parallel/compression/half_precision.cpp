// yoke/parallel/compression/half_precision.cpp: gradients rounded to 16 bits. The sum is rounded
// once more.
#include "yoke/parallel/compression.h"

namespace yoke {
namespace {

class HalfPrecision final : public Compression {
 public:
  HalfPrecision(FlatParameters& parameters, Communicator& communicator, torch::ScalarType type)
      : parameters_(parameters), communicator_(communicator), type_(type) {}

  void start(const Bucket& bucket) override {
    const auto range = parameters_.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin);
    const auto rounded = range.to(type_);
    sent_.push_back({range, rounded, communicator_.start(Operation::all_reduce(rounded))});
  }

  void finish() override {
    for (auto& [range, rounded, work] : sent_) {
      work.wait();
      range.copy_(rounded);
    }
    sent_.clear();
  }

 private:
  struct Sent {
    torch::Tensor range;
    torch::Tensor rounded;
    Work work;
  };

  FlatParameters& parameters_;
  Communicator& communicator_;
  const torch::ScalarType type_;
  std::vector<Sent> sent_;
};

CompressionPlugin half_precision(torch::ScalarType type) {
  return {no_options(),
          [type](FlatParameters& parameters, Communicator& communicator, const NoOptions&) {
            return std::make_unique<HalfPrecision>(parameters, communicator, type);
          },
          CompressionTraits{.element_bytes = 2}};
}

}  // namespace

CompressionPlugin bf16_compression() { return half_precision(torch::kBFloat16); }

CompressionPlugin fp16_compression() { return half_precision(torch::kFloat16); }

}  // namespace yoke
