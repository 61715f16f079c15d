// yoke/comm/tell_after_others.h: who tells first why ranks end.
#pragma once
#include <functional>

namespace yoke {

/// Calls `work`. A CommError of it, which can tell only that another rank is lost, is thrown two
/// seconds later: that rank has the reason, its connections close before it has told it, and mpirun
/// ends all ranks with the first that ends.
void tell_after_others(const std::function<void()>& work);

}  // namespace yoke
