// yoke/engine/compiled/layers/aten.h: operators that have no layers, by LibTorch with its autograd.
#pragma once
#include <string>
#include <utility>

#include "yoke/engine/compiled/graph/aten_region.h"

namespace yoke::compiled {

/// A region of the traced graph, computed in fp32 as it is.
struct AtenLayer final : Layer {
  AtenLayer(AtenRegion computed, Order shown) : region(std::move(computed)), order(shown) {}

  std::string kind() const override { return "ATen"; }
  bool has_parameters() const override;
  /// Whether one of its parameters learns.
  bool learns_any() const;
  std::unique_ptr<LayerPlan> plan() const override;

  const AtenRegion region;
  const Order order;  ///< Of the result.
};

/// @throws UnsupportedModel where what LibTorch computes of `graph` is all that there is to
/// compute, or mixes images.
void check_regions(const LayerGraph& graph);

/// Operators of `graph` that LibTorch computes, each once, as `pixel_shuffle, cumsum`; empty where
/// it computes none.
std::string operators_by_aten(const LayerGraph& graph);

}  // namespace yoke::compiled
