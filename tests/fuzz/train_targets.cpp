// Checkpoints, and what ranks tell each other before they train.
#include "tests/fuzz/target.h"
#include "yoke/core/error.h"
#include "yoke/core/files/file.h"
#include "yoke/train/agree.h"
#include "yoke/train/checkpoints/checkpoint.h"
#include "yoke/train/checkpoints/checkpoint_header.h"
#include "yoke/train/checkpoints/model_description.h"
#include "yoke/train/checkpoints/run_state.h"

namespace yoke::test {
namespace {

/// A sound checkpoint in a folder of its own, whose manifest is written anew.
class SpoiltManifest {
 public:
  SpoiltManifest() : SpoiltManifest(written()) {}

  const std::string& seed() const { return seed_; }
  void read(const std::string& bytes) const {
    read_checkpoint(manifest_.holding(bytes).parent_path());
  }

 private:
  explicit SpoiltManifest(const std::filesystem::path& checkpoint)
      : manifest_("checkpoints/" + (checkpoint.filename() / "manifest.json").string()),
        seed_(read_file(manifest_.path())) {}

  static std::filesystem::path written() {
    return write_checkpoint(
        InputFile("checkpoints/any").path().parent_path(),
        {.step = 5, .model = {{"w", torch::ones({3})}}, .state = {{"epoch", 1}}});
  }

  InputFile manifest_;
  std::string seed_;
};

void read_state(const std::string& bytes) {
  try {
    RunState::from_json(nlohmann::json::parse(bytes));
  } catch (const nlohmann::json::exception& error) {  // named where a checkpoint is taken up
    throw Error(error.what());
  }
}

/// Of a checkpoint that has a tensor of no dimension and an empty one.
std::string some_header() {
  return header_of({.step = 5,
                    .model = {{"w", torch::ones({3, 2})},
                              {"batches", torch::tensor(4, torch::kInt64)},
                              {"none", torch::empty({0})}},
                    .optimizer = {{"velocity", torch::zeros({6})}},
                    .state = {{"epoch", 1}}});
}

std::string some_description() {
  return to_metadata({.model = "lenet",
                      .data = {.name = "glyphs",
                               .image = {1, 28, 28},
                               .class_names = {"a", "b"},
                               .mean = {0.5F},
                               .deviation = {0.25F}},
                      .input = {1, 32, 32}})
      .at("yoke");
}

std::string some_state() {
  RunState state;
  state.balanced_accuracy = 0.5;
  state.confidence_bins = {{.images = 3, .confidence = 0.5, .accuracy = 0.75}, {}};
  return state.to_json().dump();
}

}  // namespace

std::vector<FuzzTarget> train_targets() {
  const SpoiltManifest manifest;
  return {{"manifest", {manifest.seed()}, [manifest](const auto& bytes) { manifest.read(bytes); }},
          {"checkpoint_header",
           {some_header()},
           [](const std::string& bytes) { parse_checkpoint_header(bytes, 1); }},
          {"settings",
           {R"({"batch-size": "256", "lr": "0.1", "model": "mlp"})"},
           [](const std::string& bytes) { parse_settings(bytes, 1); }},
          {"run_state", {some_state()}, read_state},
          {"model_description", {some_description()}, [](const std::string& bytes) {
             parse_description(bytes);
           }}};
}

}  // namespace yoke::test
