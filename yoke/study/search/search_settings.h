// yoke/study/search/search_settings.h: how many trials a search draws, and which go on.
#pragma once
#include <cstdint>
#include <string>

#include "yoke/run/summary.h"

namespace yoke::study {

/// The table [search] of a study file.
struct SearchSettings {
  int trials = 20;           ///< Drawn at first.
  int rungs = 1;             ///< Of successive halving; 1: random search, all trials in full.
  int reduction_factor = 3;  ///< So many trials less go on to so many epochs more.
  std::string metric = key::kValTop1;  ///< Of kNumbers: what the best trial is best in.
  std::int64_t seed = 1;               ///< Of what is drawn; of trainings it is [study]'s.
};

}  // namespace yoke::study
