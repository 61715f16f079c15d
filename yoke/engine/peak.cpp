#include "yoke/engine/peak.h"

#include <algorithm>
#include <vector>

#include "yoke/core/system/clock.h"
#include "yoke/core/system/team.h"
#include "yoke/engine/compiled/memory/aligned.h"
#include "yoke/engine/compiled/onednn.h"

namespace yoke {
namespace {

using dnnl::memory;

/// Layers of 256 inputs and outputs on 256 rows: three matrices of 256 KiB in fp32.
constexpr std::int64_t kSize = 256;
constexpr int kRepetitions = 40;

/// One thread's product.
class Product {
 public:
  explicit Product(memory::data_type type) : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {
    const memory::desc plain({kSize, kSize}, type, memory::format_tag::nc);
    const memory::desc any({kSize, kSize}, type, memory::format_tag::any);
    const auto description =
        onednn::inner_product_forward(engine_, false, plain, any, {}, plain, nullptr);
    primitive_ = dnnl::inner_product_forward(description);
    add(DNNL_ARG_SRC, description.src_desc());
    add(DNNL_ARG_WEIGHTS, description.weights_desc());
    add(DNNL_ARG_DST, description.dst_desc());
    add(DNNL_ARG_SCRATCHPAD, description.scratchpad_desc());
  }

  void run() {
    for (int i = 0; i < kRepetitions; ++i) primitive_.execute(stream_, arguments_);
  }

 private:
  void add(int argument, const memory::desc& desc) {
    bytes_.emplace_back(desc.get_size());
    arguments_[argument] = memory(desc, engine_, bytes_.back().data());
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::vector<compiled::AlignedBytes> bytes_;
  std::unordered_map<int, memory> arguments_;
};

}  // namespace

double measure_peak_flops(Precision precision, int threads) {
  constexpr int kTries = 25;
  const auto type =
      precision == Precision::kBf16 ? memory::data_type::bf16 : memory::data_type::f32;
  Team team(threads);
  std::vector<Product> products;
  for (int i = 0; i < threads; ++i) products.emplace_back(type);
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    const Stopwatch watch;
    team.run([&](int member) { products[static_cast<std::size_t>(member)].run(); });
    const double flops = 2.0 * kSize * kSize * kSize * kRepetitions * threads;
    best = std::max(best, flops / watch.seconds());
  }
  return best;
}

}  // namespace yoke
