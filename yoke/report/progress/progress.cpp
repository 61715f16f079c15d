#include "yoke/report/progress/progress.h"

#include <fmt/format.h>

#include "yoke/report/progress/progress_bar.h"
#include "yoke/report/progress/progress_lines.h"

namespace yoke {
namespace {

class Silent final : public Progress {
 public:
  void message(std::string_view) override {}
  void step(const ProgressState&) override {}
  void training(const ProgressState&, const Metrics&, const StepTimes&) override {}
  void validation(const ProgressState&, const Metrics&) override {}
  void finish() override {}
};

}  // namespace

std::unique_ptr<Progress> make_progress(ProgressKind kind, std::ostream& stream, int columns) {
  if (kind == ProgressKind::kBar) return std::make_unique<ProgressBar>(stream, columns);
  if (kind == ProgressKind::kLines) return std::make_unique<ProgressLines>(stream);
  return std::make_unique<Silent>();
}

}  // namespace yoke
