// yoke/comm/check.cpp: does every operation by two communicators and compares what comes out.
#include <fmt/format.h>

#include <array>

#include "yoke/comm/factory.h"
#include "yoke/core/error.h"
#include "yoke/core/plugins/inner_plugin.h"

namespace yoke {
namespace {

using torch::Tensor;

std::string number(const Tensor& tensor, std::int64_t at) {
  return fmt::format("{}", tensor.view(-1)[at].to(torch::kFloat64).item<double>());
}

class Check final : public Transport {
 public:
  Check(const Group& group, const std::string& a, const std::string& b, double tolerance)
      : rank_(group.rank),
        names_{a, b},
        tolerance_(tolerance),
        a_(make_inner_transport(a, group, "a")),
        b_(make_inner_transport(b, group, "b")) {}

  std::string describe() const override {
    return fmt::format("check ({} against {})", a_->describe(), b_->describe());
  }

  void run(const Operation& operation) override {
    Operation twin = operation;  // on copies that overlap where the tensors do
    const bool one = operation.input.is_same(operation.output);
    twin.input = operation.input.clone();
    twin.output = one ? twin.input : operation.output.clone();
    a_->run(operation);  // first: it tells when ranks do different operations
    const Tensor sizes = sizes_of(twin);
    b_->run(twin);
    if (operation.kind != Collective::kSend) compare(operation, twin.output, sizes);
  }

 private:
  /// What each element of a sum may be off by, but for the tolerance: the sum of the numbers'
  /// magnitudes, for they may cancel. 0 where nothing is added up or nothing rounded.
  Tensor sizes_of(const Operation& operation) {
    const bool sums =
        operation.kind == Collective::kAllReduce || operation.kind == Collective::kReduceScatter;
    if (!sums || !operation.input.is_floating_point()) return torch::zeros({1}, torch::kFloat64);
    const Tensor input = operation.input.to(torch::kFloat64).abs();
    const bool one = operation.input.is_same(operation.output);
    const Tensor output = one ? input : torch::empty(operation.output.sizes(), torch::kFloat64);
    b_->run({operation.kind, input, output, operation.peer});
    return output.view(-1);
  }

  /// Half precision is rounded once more, by up to 2^-8 (bf16) or 2^-11 (fp16), on either side.
  double tolerance(torch::ScalarType type) const {
    const double rounding = type == torch::kBFloat16  ? 0x1p-7
                            : type == torch::kFloat16 ? 0x1p-10
                                                      : 0;
    return tolerance_ + rounding;
  }

  void compare(const Operation& operation, const Tensor& other, const Tensor& sizes) const {
    const Tensor a = operation.output.view(-1).to(torch::kFloat64);
    const Tensor b = other.view(-1).to(torch::kFloat64);
    const Tensor near = (a - b).abs().le(sizes * tolerance(other.scalar_type()));
    const Tensor equal = a.eq(b).logical_or(a.isnan().logical_and(b.isnan()));
    const Tensor wrong = near.logical_or(equal).logical_not().nonzero();
    if (wrong.numel() == 0) return;
    const auto at = wrong[0].item<std::int64_t>();
    throw Error(
        fmt::format("{} on rank {}: {} of {} elements differ, the first is element {}: {} "
                    "by {}, {} by {}",
                    operation.str(), rank_, wrong.numel(), a.numel(), at,
                    number(operation.output, at), names_[0], number(other, at), names_[1]));
  }

  const int rank_;
  const std::array<std::string, 2> names_;
  const double tolerance_;
  const std::unique_ptr<Transport> a_, b_;
};

struct CheckOptions {
  std::string a = kGloo;
  std::string b = kSharedMemory;
  double tolerance = 1e-6;
};

OptionTable<CheckOptions> check_options() {
  using O = CheckOptions;
  return {
      {"a", &O::a, choice_format(communicators), "its results are used"},
      {"b", &O::b, choice_format(communicators), "what they are compared with"},
      {"tolerance", &O::tolerance, at_least(0),
       "how far sums may differ, as a part of the numbers added up"},
  };
}

std::unique_ptr<Transport> make_check(const Group& group, const CheckOptions& options) {
  if (group.size == 1) return nullptr;
  return std::make_unique<Check>(group, options.a, options.b, options.tolerance);
}

}  // namespace

CommunicatorPlugin check_communicator() { return {check_options(), make_check}; }

}  // namespace yoke
