#include "yoke/optim/ranges.h"

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>

#include <algorithm>
#include <atomic>

#include "yoke/core/system/team.h"

namespace yoke {
namespace {

void share_out(Team& team, const std::vector<torch::Tensor>& vectors, const RangeKernel& kernel) {
  constexpr std::int64_t kLine = 16;  // floats that share a line of the cache
  const std::int64_t size = vectors.front().numel(), lines = (size + kLine - 1) / kLine;
  team.run([&](int member) {
    const auto bound = [&](int i) { return std::min(lines * i / team.size() * kLine, size); };
    const std::int64_t begin = bound(member);
    std::vector<float*> at;
    for (const auto& vector : vectors) at.push_back(vector.data_ptr<float>() + begin);
    kernel(at.data(), bound(member + 1) - begin);
  });
}

}  // namespace

void for_each_range(const std::vector<torch::Tensor>& vectors, const RangeKernel& kernel) {
  for (const auto& vector : vectors) {
    TORCH_CHECK(vector.is_contiguous() && vector.dim() == 1, "flat vectors are contiguous");
  }
  if (Team* const team = Team::of_this_thread(); team != nullptr) {
    share_out(*team, vectors, kernel);
    return;
  }
  at::TensorIteratorConfig config;
  config.set_check_mem_overlap(false).resize_outputs(false).check_all_same_dtype(false);
  config.declare_static_dtype_and_device(torch::kFloat32, torch::kCPU);  // one alone has no inputs
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (i == 0) {
      config.add_output(vectors[i]);
    } else {
      config.add_input(vectors[i]);
    }
  }
  at::TensorIterator iterator = config.build();
  iterator.for_each([&kernel](char** data, const std::int64_t*, std::int64_t size) {
    kernel(reinterpret_cast<float**>(data), size);
  });
}

void for_each_range(const std::vector<torch::Tensor>& vectors, std::span<const ElementRange> marked,
                    const MarkedRangeKernel& kernel) {
  const float* const start = vectors.front().data_ptr<float>();
  for_each_range(vectors, [&](float* const* first, std::int64_t size) {
    std::vector<float*> at(first, first + vectors.size());
    const std::int64_t stop = at[0] - start + size;
    auto next = std::partition_point(marked.begin(), marked.end(), [&](const ElementRange& range) {
      return range.end <= at[0] - start;
    });
    for (std::int64_t begin = at[0] - start, end = begin; begin < stop; begin = end) {
      const bool inside = next != marked.end() && next->begin <= begin;
      end = next == marked.end() ? stop : std::min(stop, inside ? next->end : next->begin);
      kernel(at.data(), end - begin, inside);
      for (auto& place : at) place += end - begin;
      if (inside) ++next;
    }
  });
}

std::vector<ElementRange> outside(std::span<const ElementRange> marked, std::int64_t size) {
  std::vector<ElementRange> between;
  std::int64_t begin = 0;
  for (const auto& range : marked) {
    if (begin < range.begin) between.push_back({begin, range.begin});
    begin = range.end;
  }
  if (begin < size) between.push_back({begin, size});
  return between;
}

void for_each_item(std::size_t size, const std::function<void(std::size_t i)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&](int) {
    for (std::size_t i = next++; i < size; i = next++) work(i);
  };
  if (Team* const team = Team::of_this_thread(); team != nullptr) return team->run(take);
  const int threads = at::get_num_threads();
  if (threads == 1 || size < 1) return take(0);
  const struct Restore {
    int before;
    ~Restore() { at::set_num_threads(before); }
  } restore{threads};
  Team(static_cast<int>(std::min(static_cast<std::size_t>(threads), size))).run(take);
}

}  // namespace yoke
