// yoke/optim/optimizers/lbfgs/line_search.h: how far to go in a direction.
#pragma once
#include <torch/types.h>

#include <functional>

namespace yoke {

/// What was found at one point along a direction.
struct Trial {
  double length = 0;  ///< The point lies so many directions away.
  double loss = 0;
  double slope = 0;        ///< The derivative of the loss by the length.
  torch::Tensor gradient;  ///< fp32 [P], which nothing else changes.

  bool finite() const;
};

/// What a line search may ask. All ranks that call it alike get equal numbers.
struct Line {
  std::function<Trial(double length)> evaluate;
  /// Whether two points so many directions apart are the same for the purpose.
  std::function<bool(double width)> narrow;
};

/// Where a line search ended.
struct Found {
  Trial at;             ///< The lowest point; that with length 0 where none is lower.
  int evaluations = 0;  ///< At least 1.
  bool finite = true;   ///< False where it ended early, at a loss or gradient that is not.
};

/// Searches from `start`, at length 0 and with a slope below 0, by way of `length`, for a point
/// with a lower loss (by 1e-4 of the slope) and a flatter slope (0.9 of it): the strong Wolfe
/// conditions. Brackets one, then zooms in by cubic interpolation (Nocedal and Wright 2006,
/// algorithms 3.5 and 3.6, in the form of minFunc and PyTorch). Evaluates at most `most` points.
Found search_strong_wolfe(const Line& line, const Trial& start, double length, int most);

}  // namespace yoke
