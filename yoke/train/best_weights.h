// yoke/train/best_weights.h: the weights that a run leaves where it keeps its best.
#pragma once
#include <optional>
#include <string>

#include "yoke/train/run_directory.h"
#include "yoke/train/trainer.h"
#include "yoke/train/workload.h"

namespace yoke {

/// Gives the model of all ranks the weights of the run's best evaluation, and the trainer's state
/// what that evaluation found. All ranks call it; rank 0 reads them from its checkpoints. Returns
/// what is to be told: that, or why the weights stay as they are.
std::optional<std::string> use_best_weights(const RunDirectory& directory, Workload& workload,
                                            Trainer& trainer);

}  // namespace yoke
