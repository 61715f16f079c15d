// Studies.
#include <algorithm>
#include <regex>

#include "tests/fuzz/target.h"
#include "yoke/core/files/file.h"
#include "yoke/study/plan.h"
#include "yoke/study/scoreboard.h"
#include "yoke/study/search/search_plan.h"
#include "yoke/study/study_file.h"

namespace yoke::test {
namespace {

/// Every study and search that comes with Yoke, with its recipe where that is.
std::vector<std::string> own_studies() {
  std::vector<std::string> texts;
  const auto recipes = std::filesystem::path(YOKE_SOURCE_DIR) / "recipes";
  for (const char* const folder : {"studies", "searches"}) {
    for (const auto& entry : std::filesystem::directory_iterator(recipes / folder)) {
      if (entry.path().extension() != ".toml") continue;
      static const std::regex recipe("\nrecipe = \"\\.\\./");
      texts.push_back(std::regex_replace(read_file(entry.path()), recipe,
                                         "\nrecipe = \"" + recipes.string() + "/"));
    }
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace

std::vector<FuzzTarget> study_targets() {
  study::RaceRun run;
  run.entry = "a";
  run.seconds = 2.5;
  return {{"study", own_studies(),
           [file = InputFile()](const std::string& bytes) {
             const auto path = file.holding(bytes);
             const study::StudyRequest request{.elsewhere = true};
             const auto check = [](const auto&, const auto&) {};
             if (study::read_study_file(path, /*short_form=*/false).search) {
               study::read_search(path, request, check);
             } else {
               study::read_study(path, request, check);
             }
           }},
          {"scoreboard",
           {study::scoreboard_text({run})},
           [file = InputFile()](const std::string& bytes) {
             study::scoreboard_markdown(study::read_scoreboard(file.holding(bytes)));
           }}};
}

}  // namespace yoke::test
