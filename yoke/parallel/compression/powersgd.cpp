// yoke/parallel/compression/powersgd.cpp: gradients as products of thin matrices (Vogels,
// Karimireddy and Jaggi 2019, "PowerSGD", algorithms 1 and 2).
//
// A parameter of shape [rows, ...] is a matrix M [rows, columns]. With Q [columns, rank] of the
// step before: P = sum over ranks of M Q, made orthonormal; Q = sum over ranks of M' P; the sum of
// M is taken for P Q'. What a rank's M had beyond that is added to its M of the next step.
#include <torch/utils.h>

#include <cmath>

#include "yoke/core/random.h"
#include "yoke/parallel/compression.h"

namespace yoke {
namespace {

using torch::Tensor;

/// The inner product; on the CPU added in one order, so that ranks with other numbers of threads
/// have equal bits.
Tensor product(const Tensor& a, const Tensor& b) {
  if (!a.is_cpu()) return a.dot(b);
  const auto x = a.accessor<float, 1>(), y = b.accessor<float, 1>();
  double sum = 0;
  for (std::int64_t i = 0; i < x.size(0); ++i) sum += static_cast<double>(x[i]) * y[i];
  return torch::scalar_tensor(sum, a.options());
}

/// Gram and Schmidt's method, twice over, so that rounding does not add up. `p` is [rows, rank].
void make_orthonormal(Tensor& p) {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::int64_t i = 0; i < p.size(1); ++i) {
      Tensor column = p.select(1, i);
      for (std::int64_t j = 0; j < i; ++j) {
        const Tensor before = p.select(1, j);
        column.sub_(before * product(column, before));
      }
      column.div_(product(column, column).sqrt().clamp_min(1e-20));
    }
  }
}

class PowerSgd final : public Compression {
 public:
  PowerSgd(FlatParameters& parameters, Communicator& communicator, std::int64_t rank)
      : parameters_(parameters),
        communicator_(communicator),
        error_(torch::zeros_like(parameters.gradients())) {
    std::int64_t p = 0, q = 0, plain = 0;
    for (const auto& slice : parameters.slices()) {
      const std::int64_t rows = slice.shape.empty() ? 1 : slice.shape[0];
      const std::int64_t columns = rows == 0 ? 0 : slice.elements / rows;
      const std::int64_t r = std::min({rank, rows, columns});
      if ((rows + columns) * r >= slice.elements) {
        plain_.push_back({slice.offset, slice.elements, plain});
        plain += slice.elements;
        continue;
      }
      matrices_.push_back({slice.offset, rows, columns, r, p, q});
      p += rows * r;
      q += columns * r;
    }
    p_ = torch::zeros({p});
    q_ = torch::zeros({q});
    aside_ = torch::zeros({plain});
    RandomStream random(0, 0, 0, Purpose::kInitialise);
    for (std::int64_t i = 0; i < q; ++i)
      q_.data_ptr<float>()[i] = static_cast<float>(random.normal());
  }

  void start(const Bucket&) override {}

  void finish() override {
    const torch::NoGradGuard no_grad;
    const Work plain = sum_plain();
    for (const auto& m : matrices_) {
      matrix(m).add_(error_.narrow(0, m.offset, m.rows * m.columns).view({m.rows, m.columns}));
      Tensor p = p_of(m);
      torch::matmul_out(p, matrix(m), q_of(m));
    }
    communicator_.all_reduce(p_);
    for (const auto& m : matrices_) {
      Tensor p = p_of(m), q = q_of(m);
      make_orthonormal(p);
      torch::matmul_out(q, matrix(m).t(), p);
      error_.narrow(0, m.offset, m.rows * m.columns)
          .view({m.rows, m.columns})
          .copy_(matrix(m) - torch::matmul(p, q.t()));
    }
    communicator_.all_reduce(q_);
    for (const auto& m : matrices_) matrix(m).copy_(torch::matmul(p_of(m), q_of(m).t()));
    plain.wait();
    for (const auto& part : plain_) {
      gradient(part.offset, part.elements).copy_(aside_.narrow(0, part.place, part.elements));
    }
  }

  // The errors matter by their sum alone.
  void synchronise() override {
    communicator_.all_reduce(error_);
    restored();
  }
  NamedTensors state() override { return {{"powersgd.error", error_}, {"powersgd.q", q_}}; }
  void restored() override {
    if (communicator_.rank() != 0) error_.zero_();
  }

 private:
  struct Matrix {
    std::int64_t offset, rows, columns, rank, p, q;
  };
  struct Plain {  // too small to gain from it
    std::int64_t offset, elements, place;
  };

  Tensor gradient(std::int64_t offset, std::int64_t elements) {
    return parameters_.gradients().narrow(0, offset, elements);
  }
  Tensor matrix(const Matrix& m) {
    return gradient(m.offset, m.rows * m.columns).view({m.rows, m.columns});
  }
  Tensor p_of(const Matrix& m) { return p_.narrow(0, m.p, m.rows * m.rank).view({m.rows, m.rank}); }
  Tensor q_of(const Matrix& m) {
    return q_.narrow(0, m.q, m.columns * m.rank).view({m.columns, m.rank});
  }

  Work sum_plain() {
    for (const auto& part : plain_) {
      aside_.narrow(0, part.place, part.elements).copy_(gradient(part.offset, part.elements));
    }
    return communicator_.start(Operation::all_reduce(aside_));
  }

  FlatParameters& parameters_;
  Communicator& communicator_;
  std::vector<Matrix> matrices_;
  std::vector<Plain> plain_;
  Tensor error_;  // fp32 [P], of this rank
  Tensor p_, q_;  // of all matrices, one after the other
  Tensor aside_;  // the gradients of plain_
};

struct PowerSgdOptions {
  std::int64_t rank = 2;
};

}  // namespace

CompressionPlugin powersgd_compression() {
  const OptionTable<PowerSgdOptions> options = {{"rank", &PowerSgdOptions::rank, in(1, 1024),
                                                 "of the two thin matrices, whose product goes"}};
  return {
      options,
      [](FlatParameters& parameters, Communicator& communicator, const PowerSgdOptions& chosen) {
        return std::make_unique<PowerSgd>(parameters, communicator, chosen.rank);
      },
      CompressionTraits{.element_bytes = {}}};
}

}  // namespace yoke
