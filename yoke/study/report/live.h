// yoke/study/report/live.h: a report that follows a run, for a browser on this machine.
#pragma once
#include <atomic>
#include <functional>
#include <string>

namespace yoke::study {

/// How a page is served.
struct LiveOptions {
  int port = 0;                       ///< 0: any that is free.
  double oldest_seconds = 3;          ///< A page is made anew at most so often.
  std::function<std::string()> page;  ///< Makes it; what it throws is shown in its place.
  std::function<void(const std::string& address)> ready;  ///< Called once it can be looked at.
  const std::atomic<bool>* stop = nullptr;                ///< Ends the serving.
};

/// Serves the page on 127.0.0.1, where no other machine sees it, until `*stop`. @throws UsageError
/// when the port is taken.
void serve_live(const LiveOptions& options);

}  // namespace yoke::study
