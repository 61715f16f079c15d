// yoke/parallel/compression/clamp.cpp: gradients no larger than a limit, element by element.
#include "yoke/parallel/compression.h"

namespace yoke {
namespace {

struct ClampOptions {
  double limit = 1;
};

class Clamp final : public Compression {
 public:
  Clamp(FlatParameters& parameters, Communicator& communicator, double limit)
      : parameters_(parameters), communicator_(communicator), limit_(limit) {}

  void start(const Bucket& bucket) override {
    const auto range = parameters_.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin);
    range.clamp_(-limit_, limit_);
    works_.push_back(communicator_.start(Operation::all_reduce(range)));
  }

  void finish() override {
    for (const Work& work : works_) work.wait();
    works_.clear();
  }

 private:
  FlatParameters& parameters_;
  Communicator& communicator_;
  const double limit_;
  std::vector<Work> works_;
};

}  // namespace

CompressionPlugin clamp_compression() {
  const OptionTable<ClampOptions> options = {
      {"limit", &ClampOptions::limit, at_least(0), "of an element on its rank"}};
  return {options,
          [](FlatParameters& parameters, Communicator& communicator, const ClampOptions& chosen) {
            return std::make_unique<Clamp>(parameters, communicator, chosen.limit);
          }};
}

}  // namespace yoke
