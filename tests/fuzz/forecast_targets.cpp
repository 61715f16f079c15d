// Calibrations, which one machine may have from another.
#include "tests/forecast/calibrated.h"
#include "tests/fuzz/target.h"
#include "yoke/forecast/calibration_file.h"

namespace yoke::test {

std::vector<FuzzTarget> forecast_targets() {
  return {{"calibration",
           {bytes_written_by(
               [](const auto& path) { forecast::write_calibration(path, round_calibration()); })},
           [file = InputFile()](const std::string& bytes) {
             forecast::read_calibration(file.holding(bytes));
           }}};
}

}  // namespace yoke::test
