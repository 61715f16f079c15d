// yoke/train/train_rank.h: a whole training run of one rank.
#pragma once
#include "yoke/comm/rendezvous/group.h"
#include "yoke/train/train.h"

namespace yoke {

/// What train() does, once the ranks have found each other. `config` leaves nothing open but what
/// parts and machine decide.
TrainResult train_rank(const TrainConfig& config, const TrainParts& parts,
                       const TrainContext& context, const Group& group);

}  // namespace yoke
