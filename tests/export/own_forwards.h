// tests/export/own_forwards.h: forward passes of modules of one's own.
#pragma once
#include <map>
#include <string>

#include "tests/export/own_model.h"

namespace yoke::test {

/// By name, passes for images of 3x8x8, which together use every operator of operators.def that no
/// model of the registry has.
std::map<std::string, Forward> own_forwards();

}  // namespace yoke::test
