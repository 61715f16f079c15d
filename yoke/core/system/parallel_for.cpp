#include "yoke/core/system/parallel_for.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <future>
#include <vector>

namespace yoke {

void parallel_for(std::int64_t size,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& work) {
  const std::int64_t threads =
      std::clamp<std::int64_t>(at::get_num_threads(), 1, std::max<std::int64_t>(1, size));
  std::vector<std::future<void>> ranges;
  for (std::int64_t i = 1; i < threads; ++i) {
    ranges.push_back(
        std::async(std::launch::async, work, size * i / threads, size * (i + 1) / threads));
  }
  work(0, size / threads);
  for (auto& range : ranges) range.wait();
  for (auto& range : ranges) range.get();
}

}  // namespace yoke
