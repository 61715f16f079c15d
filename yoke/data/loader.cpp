#include "yoke/data/loader.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "yoke/core/error.h"
#include "yoke/core/system/thread_name.h"

namespace yoke {
namespace {

LoaderOptions checked(LoaderOptions options) {
  if (options.threads < 1) {
    throw UsageError(
        fmt::format("{} loader threads cannot make batches; use 1 or more", options.threads));
  }
  if (options.prefetch < 1) {
    throw UsageError(
        fmt::format("cannot make {} batches ahead; use a prefetch of 1 or more", options.prefetch));
  }
  return options;
}

}  // namespace

Loader::Loader(std::shared_ptr<const Dataset> dataset, Sampler sampler, Transform transform,
               std::uint64_t seed, std::int64_t first_step, std::int64_t last_step,
               LoaderOptions options, const Mixing& mixing)
    : maker_(std::move(dataset), std::move(sampler), std::move(transform), mixing, seed),
      next_step_(first_step),
      last_step_(last_step),
      options_(checked(options)),
      queue_(first_step, last_step, options.prefetch) {
  if (first_step < 0 || first_step > last_step) {
    throw Error(fmt::format("loader: [{}, {}) is no range of steps", first_step, last_step));
  }
  for (int i = 0; i < options.threads; ++i) {
    workers_.emplace_back([this, i](const std::stop_token& stop) {
      name_thread(fmt::format("loader {}", i));
      work(stop);
    });
  }
}

Loader::~Loader() {
  for (std::jthread& worker : workers_) worker.request_stop();
}

Batch Loader::next() {
  if (failure_) std::rethrow_exception(failure_);
  if (next_step_ == last_step_) {
    throw Error(fmt::format("loader: there is no batch past the last step, {}", last_step_));
  }
  RECORD_USER_SCOPE("loader: wait for a batch");
  Result result = queue_.take();
  if (const auto* failure = std::get_if<std::exception_ptr>(&result)) {
    failure_ = *failure;
    std::rethrow_exception(failure_);
  }
  ++next_step_;
  Batch batch = std::get<Batch>(std::move(result));
  use_in_this_stream(batch);
  return batch;
}

Batch Loader::make(std::int64_t step, const DeviceCopy& device, BatchMaker::Scratch& scratch,
                   const std::stop_token& stop) const {
  RECORD_USER_SCOPE("loader: make a batch");
  if (!options_.resident) return device.copy(maker_.make(step, options_.pinned, scratch, stop));
  return device.wait_for([&] { return maker_.make(step, *options_.resident, stop); });
}

void Loader::work(const std::stop_token& stop) {
  BatchMaker::Scratch scratch;
  std::optional<DeviceCopy> device;
  while (const auto step = queue_.begin(stop)) {
    try {
      if (!device) device.emplace(options_.device);
      queue_.put(*step, make(*step, *device, scratch, stop));
    } catch (...) {
      queue_.put(*step, std::current_exception());
    }
  }
}

}  // namespace yoke
