// yoke/report/profile/trace_events.h: profiles in the Trace Event Format of Chromium, which
// chrome://tracing and Perfetto open.
#pragma once
#include <string>
#include <vector>

#include "yoke/report/profile/profiler.h"

namespace yoke {

/// A rank, as the trace shows it: a process.
struct TraceProcess {
  int rank = 0;
  std::string host;
};

/// The events of a rank, as members of a JSON array without its brackets: complete ones (`X`), and
/// the names of process and threads (`M`). Categories are those of torch.profiler: `cpu_op` and
/// `user_annotation`.
std::string trace_events(const Profile& profile, const TraceProcess& process);

/// A whole file, of what trace_events() made for each rank.
std::string trace_file(const std::vector<std::string>& events);

/// Whether `text` is what trace_events() might have made.
bool are_trace_events(const std::string& text);

}  // namespace yoke
