// yoke/core/nearest_name.h: what somebody may have meant who typed a name that there is not.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace yoke {

/// The one of `names` that is nearest to `given`: the fewest letters to insert, delete, replace or
/// swap with their neighbour (optimal string alignment), at most a third of the letters of
/// `given`, and one in any case. Empty where none is so near.
std::string nearest_name(std::string_view given, const std::vector<std::string>& names);

/// What a message says of `given`, which is none of `names`: "did you mean 'sgd'?" or, where none
/// is near, "allowed: sgd, adam".
std::string suggest(std::string_view given, const std::vector<std::string>& names);

}  // namespace yoke
