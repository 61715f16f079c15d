#include "apps/yoke/thread_sum.h"

#include <cstring>

#include "yoke/comm/shared/sum.h"
#include "yoke/core/system/threads.h"

namespace yoke {

ThreadSum::ThreadSum(const std::vector<int>& cores, std::int64_t elements) : places_(cores.size()) {
  for (std::size_t i = 0; i < cores.size(); ++i) vectors_.push_back(torch::zeros({elements}));
  for (std::size_t i = 1; i < places_.size(); ++i) {
    threads_.emplace_back([this, i, core = cores[i]] {
      pin_to({core});
      for (;;) {
        meet(i);
        if (stop_) return;
        work(i);
      }
    });
  }
}

ThreadSum::~ThreadSum() {
  stop_ = true;
  meet(0);
}

void ThreadSum::run() {
  meet(0);
  work(0);
}

void ThreadSum::meet(std::size_t thread) {
  const auto mine = places_[thread].meetings.fetch_add(1, std::memory_order_acq_rel) + 1;
  for (const Place& place : places_) {
    for (int spins = 0; place.meetings.load(std::memory_order_acquire) < mine; ++spins) {
      constexpr int kSpins = 4000;
      if (spins > kSpins) std::this_thread::yield();
    }
  }
}

void ThreadSum::work(std::size_t thread) {
  const auto elements = static_cast<std::size_t>(vectors_[0].numel());
  const std::size_t count = vectors_.size();
  const auto begin = [&](std::size_t part) { return elements * part / count * sizeof(float); };
  const auto bytes = [](const torch::Tensor& tensor) {
    return static_cast<std::byte*>(tensor.data_ptr());
  };
  std::vector<const std::byte*> sources;
  for (const auto& vector : vectors_) sources.push_back(bytes(vector) + begin(thread));
  shared::sum(torch::kFloat32, sources,
              static_cast<std::int64_t>((begin(thread + 1) - begin(thread)) / sizeof(float)),
              {bytes(vectors_[thread]) + begin(thread)});
  meet(thread);
  for (std::size_t part = 0; part < count; ++part) {
    if (part == thread) continue;
    std::memcpy(bytes(vectors_[thread]) + begin(part), bytes(vectors_[part]) + begin(part),
                begin(part + 1) - begin(part));
  }
  meet(thread);
}

}  // namespace yoke
