// yoke/train/resolved.h: what a run found out where its flags leave room.
#pragma once
#include "yoke/run/layout.h"

namespace yoke {

/// Found out once by each rank, before its first step; the TrainConfig beside it stays as given.
struct Resolved {
  int threads = 1;         ///< Of this rank's step, at least 1.
  int replicas = 1;        ///< Copies of the step inside this rank, at least 1.
  double lr = 0;           ///< Base learning rate, in [0, 1e9], equal on all ranks.
  RunDirectory directory;  ///< Made, and under the same path on all ranks.
  bool recorder = true;    ///< Of this process's ranks the one that records what it does.
  bool resources = false;  ///< This rank records the process's use of the machine.
};

}  // namespace yoke
