#include "apps/yoke/figure_file.h"

#include <fmt/format.h>

#include "apps/yoke/environment.h"
#include "apps/yoke/output_file.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/temporary_folder.h"
#include "yoke/study/figures/gnuplot.h"

namespace yoke {

namespace fs = std::filesystem;

void check_figure_file(const std::string& flag, const fs::path& file, bool force) {
  const auto ending = file.extension();
  if (ending != ".svg" && ending != ".png" && ending != ".pdf") {
    throw UsageError(fmt::format("{} is '{}'; allowed: a file that ends in {}", flag, file.string(),
                                 kFigureEndings));
  }
  check_output(flag, file, force);
}

void write_figure_file(const study::Figure& figure, const fs::path& file) {
  const TemporaryFolder folder;
  const auto ending = file.extension().string().substr(1);
  const auto drawn = folder.path() / fmt::format("{}.{}", figure.name, ending);
  if (ending == "pdf") {
    study::draw_pdf({}, {figure}, drawn, whole_environment());
  } else {
    study::draw_files({figure}, ending, folder.path(), whole_environment());
  }
  write_file(file, read_file(drawn));
}

}  // namespace yoke
