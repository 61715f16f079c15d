// yoke/launch/stop.h: stops runs that `yoke run` started on this host.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "yoke/launch/run_record.h"

namespace yoke::launch {

/// The run that `wanted` (an id, a run directory or a folder of logs) names, or where it is empty
/// the only one. @throws UsageError that lists the runs there are.
RunRecord find_run(const std::vector<RunRecord>& records, const std::string& wanted);

/// How a run was brought to its end.
enum class Stopped { kByItself, kAtOnce, kKilled };

/// Asks the run to save and stop, unless `now`; after `grace` ends it at once; kills its front
/// where that has no effect. Returns when the front is gone, which waits for all of its hosts.
Stopped stop_run(const RunRecord& record, bool now, std::chrono::duration<double> grace);

}  // namespace yoke::launch
