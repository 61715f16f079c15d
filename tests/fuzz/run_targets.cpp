// What a run has written, and somebody may have changed.
#include "tests/fuzz/target.h"
#include "yoke/core/files/file.h"
#include "yoke/run/image_predictions.h"
#include "yoke/run/layout.h"
#include "yoke/run/metrics.h"
#include "yoke/run/phases.h"
#include "yoke/run/resource_samples.h"
#include "yoke/run/run_results.h"

namespace yoke::test {
namespace {

FuzzTarget file_of_a_run(const std::string& name,
                         std::filesystem::path (RunDirectory::*file)() const,
                         const std::string& seed) {
  const RunDirectory run{InputFile(name + "/run/empty").path().parent_path()};
  write_file(run.config(), "model = 'lenet'\n");  // by which it is known for a run
  const InputFile input(name + "/run/" + (run.*file)().filename().string());
  return {name, {seed}, [input](const std::string& bytes) {
            read_run(input.holding(bytes).parent_path());
          }};
}

constexpr const char* kReports =
    R"({"step":1,"epoch":0.5,"seconds":1.5,"split":"train","loss":2.3,"lr":0.1})"
    "\n"
    R"({"step":2,"epoch":1,"seconds":2,"split":"val","loss":null,"top1":0.5})"
    "\n";

std::string some_phases() {
  return bytes_written_by([](const auto& path) {
    PhaseFile file(path);
    file.begin(PhaseKind::kLoading, 0);
    file.begin(PhaseKind::kTraining, 1.5);
    file.begin(PhaseKind::kEnded, 2);
  });
}

std::string some_predictions() {
  return bytes_written_by([](const auto& path) {
    write_image_predictions(path, {{"val/a/1.jpg", "a", "b", 0.75, "/9j/4AAQ"},
                                   {"image 2", "b", "b", 0.5, "/9j/4A=="}});
  });
}

}  // namespace

std::vector<FuzzTarget> run_targets() {
  return {
      file_of_a_run("summary", &RunDirectory::summary,
                    R"({"status": "completed", "steps": 5, "hardware": {"cores": 2, "cpu": "x"}, )"
                    R"("classes": ["a", "b"], "per_class_accuracy": [0.5, null], )"
                    R"("confusion": [[1, 2], [3, 4]], "confidence_bins": [{"images": 3, )"
                    R"("confidence": 0.5, "accuracy": 0.7}, {"images": 0, "accuracy": null}]})"),
      file_of_a_run("metrics", &RunDirectory::metrics, kReports),
      file_of_a_run("phases", &RunDirectory::phases, some_phases()),
      {"resumed_metrics",
       {kReports},
       [file = InputFile("resumed-metrics")](const std::string& bytes) {
         MetricsFile(file.holding(bytes), 1);
       }},
      {"resumed_phases",
       {some_phases()},
       [file = InputFile("resumed-phases")](const std::string& bytes) {
         PhaseFile(file.holding(bytes)).begin(PhaseKind::kTraining, 1.5);
       }},
      file_of_a_run("resources", &RunDirectory::resources,
                    resources_header() + to_line({.seconds = 0.5, .cpu_percent = 100}) +
                        to_line({.seconds = 1, .rss_bytes = 2000})),
      file_of_a_run("predictions", &RunDirectory::predictions, some_predictions()),
      file_of_a_run("config", &RunDirectory::config, "model = \"lenet\"\nlr = 0.1\n")};
}

}  // namespace yoke::test
