// yoke/comm/communicators/delay.cpp: gloo, in which some ranks come to operations late.
#include <chrono>
#include <thread>

#include "yoke/comm/factory.h"

namespace yoke {
namespace {

struct DelayOptions {
  double milliseconds = 0.1;
};

class Delay final : public Transport {
 public:
  Delay(const Group& group, double milliseconds)
      : late_(milliseconds * (group.rank % 2)),
        inner_(make_inner_transport(kGloo, group, "late")) {}

  std::string describe() const override {
    return inner_->describe() + ", with ranks that are late";
  }

  void run(const Operation& operation) override {
    std::this_thread::sleep_for(late_);
    inner_->run(operation);
  }

 private:
  const std::chrono::duration<double, std::milli> late_;
  const std::unique_ptr<Transport> inner_;
};

}  // namespace

CommunicatorPlugin delay_communicator() {
  const OptionTable<DelayOptions> options = {
      {"milliseconds", &DelayOptions::milliseconds, in(0, 1000), "that every other rank is late"}};
  return {options,
          [](const Group& group, const DelayOptions& chosen) -> std::unique_ptr<Transport> {
            if (group.size == 1) return nullptr;
            return std::make_unique<Delay>(group, chosen.milliseconds);
          },
          CommunicatorTraits{.plan = forecast::CommunicatorPlan{.between = kGloo}}};
}

}  // namespace yoke
