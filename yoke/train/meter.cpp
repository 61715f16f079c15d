#include "yoke/train/meter.h"

#include <nlohmann/json.hpp>

#include "yoke/run/summary.h"

namespace yoke {

void Meter::add(const torch::Tensor& loss, const torch::Tensor& ranks) {
  images_ += ranks.size(0);
  pending_.push_back({loss, ranks});
  if (loss.is_cpu()) fold();
}

void Meter::add_times(double step_seconds, double data_wait_seconds, double communication_seconds) {
  step_seconds_ += step_seconds;
  data_wait_seconds_ += data_wait_seconds;
  communication_seconds_ += communication_seconds;
}

void Meter::fold() {
  for (const auto& [loss, ranks] : pending_) {
    loss_sum_ += loss.item<double>() * static_cast<double>(ranks.size(0));
    const auto on_cpu = ranks.cpu();
    const auto* const rank = on_cpu.data_ptr<std::int64_t>();
    for (std::int64_t n = 0; n < on_cpu.numel(); ++n) {
      top1_ += rank[n] < 1;
      top5_ += rank[n] < 5;
    }
  }
  pending_.clear();
}

void Meter::gather(Communicator& communicator) {
  if (communicator.size() == 1) return;
  fold();
  const auto sums = torch::tensor({static_cast<double>(images_), loss_sum_,
                                   static_cast<double>(top1_), static_cast<double>(top5_)},
                                  torch::kFloat64);
  communicator.all_reduce(sums);
  const bool keeps = communicator.rank() == 0;
  const auto* const sum = sums.data_ptr<double>();
  images_ = keeps ? static_cast<std::int64_t>(sum[0]) : 0;
  loss_sum_ = keeps ? sum[1] : 0;
  top1_ = keeps ? static_cast<std::int64_t>(sum[2]) : 0;
  top5_ = keeps ? static_cast<std::int64_t>(sum[3]) : 0;
}

double Meter::loss() {
  fold();
  return mean(loss_sum_);
}

double Meter::top1() {
  fold();
  return mean(static_cast<double>(top1_));
}

double Meter::top5() {
  fold();
  return mean(static_cast<double>(top5_));
}

nlohmann::json Meter::to_json() {
  fold();
  return {{"images", images_},
          {"steps", steps_},
          {"loss_sum", loss_sum_},
          {"top1", top1_},
          {"top5", top5_},
          {"step_seconds", step_seconds_},
          {key::kDataWaitSeconds, data_wait_seconds_},
          {key::kCommunicationSeconds, communication_seconds_}};
}

Meter Meter::from_json(const nlohmann::json& json) {
  Meter meter;
  json.at("images").get_to(meter.images_);
  json.at("steps").get_to(meter.steps_);
  json.at("loss_sum").get_to(meter.loss_sum_);
  json.at("top1").get_to(meter.top1_);
  json.at("top5").get_to(meter.top5_);
  json.at("step_seconds").get_to(meter.step_seconds_);
  json.at(key::kDataWaitSeconds).get_to(meter.data_wait_seconds_);
  json.at(key::kCommunicationSeconds).get_to(meter.communication_seconds_);
  return meter;
}

}  // namespace yoke
