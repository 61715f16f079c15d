// yoke/parallel/compression/none.cpp: gradients go as they are, from where they lie.
#include "yoke/parallel/compression.h"

namespace yoke {
namespace {

class None final : public Compression {
 public:
  None(FlatParameters& parameters, Communicator& communicator)
      : parameters_(parameters), communicator_(communicator) {}

  void start(const Bucket& bucket) override {
    works_.push_back(communicator_.start(Operation::all_reduce(
        parameters_.gradients().narrow(0, bucket.begin, bucket.end - bucket.begin))));
  }

  void finish() override {
    for (const Work& work : works_) work.wait();
    works_.clear();
  }

 private:
  FlatParameters& parameters_;
  Communicator& communicator_;
  std::vector<Work> works_;
};

}  // namespace

CompressionPlugin none_compression() {
  return {no_options(),
          [](FlatParameters& parameters, Communicator& communicator, const NoOptions&) {
            return std::make_unique<None>(parameters, communicator);
          }};
}

}  // namespace yoke
