#include "yoke/engine/compiled/memory/parameters.h"

#include <algorithm>

#include "yoke/engine/compiled/kernels/add.h"

namespace yoke::compiled {

using dnnl::memory;

memory::desc contiguous_desc(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return {dims, memory::data_type::f32, strides};
}

WeightStore::WeightStore(const dnnl::engine& engine, FlatParameters& parameters)
    : engine_(engine), parameters_(parameters) {}

memory WeightStore::source(ParameterId id, const memory::dims& dims) const {
  const auto& slice = parameters_.slices()[static_cast<std::size_t>(id)];
  return {contiguous_desc(dims), engine_, parameters_.values().data_ptr<float>() + slice.offset};
}

const WeightStore::Copy* WeightStore::find(ParameterId id, const memory::desc& wanted,
                                           Convert convert) const {
  for (const Copy& copy : copies_) {
    if (copy.id == id && copy.convert == convert && copy.target.get_desc() == wanted) return &copy;
  }
  return nullptr;
}

memory WeightStore::get(ParameterId id, const memory::dims& dims, const memory::desc& wanted) {
  if (const Copy* const copy = find(id, wanted, nullptr)) return copy->target;
  const memory from = source(id, dims);
  if (from.get_desc() == wanted) return from;
  AlignedBytes bytes(wanted.get_size());
  const memory target(wanted, engine_, bytes.data());
  copies_.push_back({id, from, target, dnnl::reorder(from, target), nullptr, std::move(bytes)});
  return target;
}

memory WeightStore::get(ParameterId id, const memory::dims& dims, const memory::desc& made,
                        Convert convert) {
  if (const Copy* const copy = find(id, made, convert)) return copy->target;
  AlignedBytes bytes(made.get_size());
  const memory target(made, engine_, bytes.data());
  copies_.push_back({id, source(id, dims), target, {}, convert, std::move(bytes)});
  return target;
}

void WeightStore::refresh(int part, int parts, dnnl::stream& stream) {
  for (std::size_t i = static_cast<std::size_t>(part); i < copies_.size();
       i += static_cast<std::size_t>(parts)) {
    Copy& copy = copies_[i];
    if (copy.convert == nullptr) {
      copy.reorder.execute(stream, copy.source, copy.target);
    } else {
      copy.convert(static_cast<const float*>(copy.source.get_data_handle()),
                   onednn::dims_of(copy.source.get_desc()), copy.target);
    }
  }
}

const GradientStore::Sum* GradientStore::find(ParameterId id) const {
  for (const Sum& sum : sums_) {
    if (sum.id == id) return &sum;
  }
  return nullptr;
}

const GradientStore::Sum& GradientStore::sum(ParameterId id, const memory::dims& dims,
                                             const memory::desc& desc) {
  if (const Sum* const own = find(id)) return *own;
  const Sum* const other = leader_ == nullptr ? nullptr : leader_->find(id);
  return other == nullptr ? add(id, dims, desc) : add(id, other->dims, other->memory.get_desc());
}

const GradientStore::Sum& GradientStore::add(ParameterId id, const memory::dims& dims,
                                             const memory::desc& desc) {
  AlignedBytes bytes(desc.get_size());
  const memory memory(desc, engine_, bytes.data());
  sums_.push_back({id, dims, memory, std::move(bytes)});
  return sums_.back();
}

GradientTarget::GradientTarget(const GradientStore::Sum& sum, dnnl::memory aside,
                               const memory::dims& dims, bool always_add)
    : sum_(&sum), aside_(std::move(aside)), always_add_(always_add) {
  convert_ = aside_.get_desc() != sum.memory.get_desc();
  if (!convert_) return;
  const auto engine = aside_.get_engine();
  from_ = aside_;
  reshape_ = dims != sum.dims;
  if (reshape_) {
    plain_ = dnnl::memory(contiguous_desc(dims), engine);
    from_ = dnnl::memory(contiguous_desc(sum.dims), engine, plain_.get_data_handle());
    to_plain_ = dnnl::reorder(aside_, plain_);
  }
  dnnl::primitive_attr add;
  dnnl::post_ops operations;
  operations.append_sum(1.0F);
  add.set_post_ops(operations);
  replace_ = dnnl::reorder(from_, sum.memory);
  add_ = dnnl::reorder(
      dnnl::reorder::primitive_desc(engine, from_.get_desc(), engine, sum.memory.get_desc(), add));
}

const dnnl::memory& GradientTarget::memory(bool accumulate) const {
  return aside(accumulate) ? aside_ : sum_->memory;
}

void GradientTarget::finish(bool accumulate, dnnl::stream& stream) const {
  if (!aside(accumulate)) return;
  const bool add = accumulate || always_add_;
  if (convert_) {
    auto aside = aside_, plain = plain_, from = from_, to = sum_->memory;
    if (reshape_) to_plain_.execute(stream, aside, plain);
    (add ? add_ : replace_).execute(stream, from, to);
  } else {
    add_to(static_cast<const float*>(aside_.get_data_handle()),
           static_cast<std::int64_t>(sum_->size()), sum_->data());
  }
}

}  // namespace yoke::compiled
