#include "yoke/engine/compiled/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "yoke/engine/compiled/cross_entropy.h"
#include "yoke/engine/compiled/kernels/add.h"

namespace yoke::compiled {
Builder::Builder(const LayerGraph& graph, Workspace& workspace, const PlanOptions& options)
    : graph_(graph),
      workspace_(workspace),
      options_(options),
      plan_(std::make_unique<Plan>()),
      tensors_(graph.values.size()),
      parts_(graph.values.size()),
      wants_gradient_(wanted_gradients(graph)) {
  plan_->batch_ = options.batch;
  plan_->classes_ = value(graph.output).shape.elements();
  plan_->sections_.emplace_back();
  plan_->input_ = {.batch = options.batch,
                   .shape = value(LayerGraph::kInput).shape,
                   .format = Format::kPlain,
                   .type = dnnl::memory::data_type::f32,
                   .buffer = &plan_->input_buffer_,
                   .shared = true};
  tensors_[LayerGraph::kInput] = plan_->input_;
}

std::unique_ptr<Plan> Builder::build() {
  plan_layers();
  end_section();
  plan_->lay_out();
  return std::move(plan_);
}

void Builder::plan_layers() {
  std::vector<std::unique_ptr<LayerPlan>> plans;
  for (std::size_t i = 0; i < graph_.layers.size(); ++i) {
    layer_ = graph_.layers[i]->name;
    enter_section(sees_whole_batch(i));
    plans.push_back(graph_.layers[i]->plan());
    plans.back()->forward(*this);
  }
  layer_ = "loss";
  enter_section(options_.whole_from < graph_.layers.size());
  pass_ = Pass::kOther;
  plan_scores(*this, graph_.output);
  if (!training()) return;
  plan_cross_entropy(*this, graph_.output);
  pass_ = Pass::kBackward;
  for (std::size_t i = plans.size(); i-- > 0;) {
    const Layer& layer = *graph_.layers[i];
    if (!wants_gradient(layer.output) || !has_gradient(layer.output)) continue;
    layer_ = layer.name;
    enter_section(sees_whole_batch(i));
    plans[i]->backward(*this);
    for (const ParameterId id : asked_) met_[id] = plan_->steps_.size() - 1;
    asked_.clear();
  }
  for (const auto& [id, step] : met_) plan_->steps_[step].completes.push_back(id);
}

bool Builder::sees_whole_batch(std::size_t layer) const {
  return layer >= options_.whole_from || graph_.layers[layer]->mixes_images();
}

void Builder::enter_section(bool whole_batch) {
  const std::int64_t parts = whole_batch ? 1 : options_.parts;
  if (section().parts == parts) return;
  end_section();
  const std::size_t now = plan_->steps_.size();
  if (section().first < now) plan_->sections_.emplace_back();
  plan_->sections_.back().first = now;
  plan_->sections_.back().parts = parts;
}

/// The part of it that the steps being planned see.
Tensor Builder::seen_here(Tensor tensor) const {
  tensor.batch = batch();
  return tensor;
}

Tensor Builder::tensor(ValueId id) const {
  return seen_here(tensors_[static_cast<std::size_t>(id)]);
}

Tensor Builder::features(ValueId id) {
  Tensor plain = converted(tensor(id), Format::kPlain, tensor(id).type);
  plain.shape = {plain.shape.elements(), 1, 1};
  return plain;
}

Tensor Builder::define(ValueId id, Format format, dnnl::memory::data_type type) {
  define_as(id, temporary(value(id).shape, format, type));
  return tensor(id);
}

void Builder::define_as(ValueId id, const Tensor& tensor) {
  tensors_[static_cast<std::size_t>(id)] = tensor;
}

Tensor Builder::temporary(const ImageShape& shape, Format format, dnnl::memory::data_type type) {
  Tensor tensor{.batch = batch(), .shape = shape, .format = format, .type = type};
  tensor.buffer = buffer(tensor.desc().get_size());
  return tensor;
}

Tensor Builder::converted(const Tensor& tensor, Format format, dnnl::memory::data_type type) {
  if (tensor.type == type && same_memory(tensor.format, format, tensor.shape)) {
    Tensor same = use(tensor);
    same.format = format;
    return same;
  }
  const Tensor result = temporary(tensor.shape, format, type);
  auto from = memory(tensor), to = memory(result);
  const dnnl::reorder::primitive_desc description(engine(), from.get_desc(), engine(),
                                                  to.get_desc(), onednn::attributes());
  execute(fmt::format("reorder ({})", description.impl_info_str()), dnnl::reorder(description),
          description.scratchpad_desc(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}})
      .primitive = false;
  return use(result);
}

Buffer* Builder::buffer(std::size_t bytes) {
  const int now = static_cast<int>(plan_->steps_.size());
  Buffer& made = plan_->buffers_.emplace_back(Buffer{.bytes = bytes, .first = now, .last = now});
  plan_->sections_.back().buffers.insert(&made);
  return &made;
}

void Builder::touch(Buffer* buffer) {
  buffer->last = static_cast<int>(plan_->steps_.size());
  if (buffer != &plan_->input_buffer_) plan_->sections_.back().buffers.insert(buffer);
}

dnnl::memory Builder::memory(const dnnl::memory::desc& desc, Buffer* buffer) {
  touch(buffer);
  dnnl::memory memory(desc, engine(), DNNL_MEMORY_NONE);
  if (buffer == &plan_->input_buffer_) {
    plan_->input_memories_.push_back(memory);
  } else {
    plan_->sections_.back().bindings.push_back({memory, buffer});
  }
  return memory;
}

Tensor Builder::use(const Tensor& tensor) {
  touch(tensor.buffer);
  return tensor;
}

Step& Builder::add(std::string operation, std::function<void(const MicroBatch&)> run) {
  return plan_->steps_.emplace_back(Step{.layer = layer_,
                                         .operation = std::move(operation),
                                         .pass = pass_,
                                         .flops = 0,
                                         .primitive = false,
                                         .run = std::move(run)});
}

Step& Builder::execute(const std::string& operation, const dnnl::primitive& primitive,
                       const dnnl::memory::desc& scratchpad,
                       std::unordered_map<int, dnnl::memory> arguments) {
  if (scratchpad.get_size() > 0) {
    arguments[DNNL_ARG_SCRATCHPAD] = memory(scratchpad, buffer(scratchpad.get_size()));
  }
  Step& step =
      add(operation, [primitive, &stream = workspace_.stream, arguments = std::move(arguments)](
                         const MicroBatch&) { primitive.execute(stream, arguments); });
  step.primitive = true;
  return step;
}

Step& Builder::execute(const std::string& operation, const dnnl::primitive& primitive,
                       const dnnl::memory::desc& scratchpad,
                       std::unordered_map<int, dnnl::memory> arguments,
                       std::vector<std::pair<int, GradientTarget>> gradients) {
  if (scratchpad.get_size() > 0) {
    arguments[DNNL_ARG_SCRATCHPAD] = memory(scratchpad, buffer(scratchpad.get_size()));
  }
  const auto with_gradients = [&](bool accumulate) {
    auto all = arguments;
    for (const auto& [argument, target] : gradients) all[argument] = target.memory(accumulate);
    return all;
  };
  Step& step = add(operation, [primitive, &stream = workspace_.stream,
                               first = with_gradients(false), later = with_gradients(true),
                               gradients = std::move(gradients)](const MicroBatch& micro) {
    primitive.execute(stream, micro.accumulate ? later : first);
    for (const auto& [argument, target] : gradients) target.finish(micro.accumulate, stream);
  });
  step.primitive = true;
  return step;
}

bool Builder::has_gradient(ValueId id) const {
  return !parts_[static_cast<std::size_t>(id)].empty();
}

Tensor Builder::gradient(ValueId id) {
  auto& parts = parts_[static_cast<std::size_t>(id)];
  for (Tensor& part : parts) part = seen_here(part);
  return parts.size() == 1 ? use(parts.front()) : summed(id, parts);
}

Tensor Builder::summed(ValueId id, std::vector<Tensor>& parts) {
  for (Tensor& part : parts) part = converted(part, parts.front().format, parts.front().type);
  const auto own =
      std::find_if(parts.begin(), parts.end(), [](const Tensor& part) { return !part.shared; });
  if (own != parts.end()) std::iter_swap(parts.begin(), own);
  const bool in_place = own != parts.end();
  const Tensor result = in_place
                            ? use(parts.front())
                            : temporary(value(id).shape, parts.front().format, parts.front().type);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Tensor a = use(i == 1 ? parts.front() : result), b = use(parts[i]);
    use(result);
    add("sum of gradients",
        [a, b, result](const MicroBatch&) { add_tensors(a, b, false, result); });
  }
  return result;
}

Tensor Builder::contribute(ValueId id, Format format, dnnl::memory::data_type type) {
  const Tensor part = temporary(tensor(id).shape, format, type);
  contribute(id, part);
  return part;
}

void Builder::contribute(ValueId id, const Tensor& part) {
  parts_[static_cast<std::size_t>(id)].push_back(part);
}

dnnl::memory Builder::weights(ParameterId id, const dnnl::memory::dims& dims,
                              const dnnl::memory::desc& wanted) {
  return workspace_.weights.get(id, dims, wanted);
}

dnnl::memory Builder::weights(ParameterId id, const dnnl::memory::dims& dims,
                              const dnnl::memory::desc& made, WeightStore::Convert convert) {
  return workspace_.weights.get(id, dims, made, convert);
}

GradientTarget Builder::gradient_of(ParameterId id, const dnnl::memory::dims& dims,
                                    const dnnl::memory::desc& desc) {
  const auto& sum = workspace_.gradients.sum(id, dims, desc);
  const bool met = met_.contains(id) || std::count(asked_.begin(), asked_.end(), id) > 0;
  asked_.push_back(id);
  return {sum, memory(desc, buffer(desc.get_size())), dims, met};
}

}  // namespace yoke::compiled
