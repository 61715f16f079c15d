// tests/apps/bad_input_test.cpp: what people give that they should not, all of it as they type it:
// each is answered by what is wrong and what to do, and nothing that was there is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "tests/data/image_files.h"
#include "tests/support/script_models.h"
#include "tests/train/run.h"
#include "yoke/core/plugins/options.h"
#include "yoke/data/download/published_weights.h"
#include "yoke/run/layout.h"

namespace yoke {
namespace {

using test::picture;
using test::run_yoke;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// A JPEG file that says of itself that it has 30,000 pixels a side.
std::string huge_jpeg() {
  std::string file = test::jpeg_file(picture(40, 40));
  const auto frame = file.find("\xff\xc0");  // SOF0: length, precision, height, width
  return file.replace(frame + 5, 4, "\x75\x30\x75\x30");
}

class BadInput : public testing::Test {
 protected:
  void SetUp() override {
    fs::permissions(path(), fs::perms::all);  // for a user who is not root
    for (const char* const label : {"Grüne Äpfel", "red pears"}) {
      for (int i = 0; i < 12; ++i) add(fmt::format("{}/{:02}.jpg", label, i), photo(i));
    }
  }

  static std::string photo(int number) { return test::jpeg_file(picture(40, 40 + number)); }

  /// Below the photos.
  void add(const std::string& name, const std::string& bytes) const {
    fs::create_directories((photos() / name).parent_path());
    write_file(photos() / name, bytes);
  }

  /// `yoke train` with `given`, as small as it can be.
  std::vector<std::string> words(const std::vector<std::string>& given) const {
    auto all = test::train_words(run(), "--threads 1 --epochs 1 --batch-size 8");
    *std::find(all.begin(), all.end(), "none") = "lines";  // of progress
    all.insert(all.end(), given.begin(), given.end());
    return all;
  }

  /// On the photos.
  test::ProgramResult train(const std::vector<std::string>& more = {"--model", "lenet"}) const {
    auto given = more;
    given.insert(given.begin(), photos().string());
    return run_yoke(words(given));
  }

  /// Of wrong usage, before anything was written.
  void expect_refused(const test::ProgramResult& result,
                      const testing::Matcher<std::string>& why) const {
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, why);
    EXPECT_FALSE(fs::exists(run()));
  }

  const fs::path& path() const { return directory_.path(); }
  fs::path photos() const { return path() / "my photos, all"; }
  fs::path run() const { return path() / "run"; }

 private:
  test::TemporaryDirectory directory_;
};

TEST_F(BadInput, IsNoPhotoOfAnotherKindThanMost) {
  add("red pears/alpha.png", test::png_file(picture(50, 60, 4), PNG_COLOR_TYPE_RGB_ALPHA));
  add("red pears/deep.png", test::png_file(picture(50, 60), PNG_COLOR_TYPE_RGB, 16));
  add("red pears/grey.jpg", test::jpeg_file(picture(50, 60, 1)));
  add("red pears/cmyk.jpg", test::jpeg_file(picture(50, 60, 4)));
  add("red pears/turned.jpg", test::jpeg_file(picture(50, 60), {.orientation = 6}));
  add("red pears/one.png", test::png_file(picture(1, 1)));
  const auto trained = train();
  ASSERT_EQ(trained.status, 0) << trained.output;
  EXPECT_THAT(trained.output, Not(HasSubstr("damaged")));
  const auto summary = test::summary(run());
  EXPECT_EQ(summary.at("damaged_images"), 0);
  EXPECT_EQ(summary.at("train_images").get<int>() + summary.at("val_images").get<int>(), 30);
  EXPECT_EQ(summary.at("classes"), (std::vector<std::string>{"Grüne Äpfel", "red pears"}));
}

TEST_F(BadInput, OfDamagedPhotosIsNamedAndCountedAndLeftAsItIs) {
  const std::vector<std::pair<std::string, std::string>> damaged = {
      {"red pears/cut.jpg", photo(5).substr(0, 600)},
      {"red pears/text.jpg", "these are no pixels"},
      {"red pears/empty.png", ""},
      {"red pears/huge.jpg", huge_jpeg()}};
  for (const auto& [name, bytes] : damaged) add(name, bytes);
  const auto more =
      run_yoke(words({"--model", "lenet", "--data",
                      "image-folder:damaged=0.5,root=" + Options::written(photos().string())}));
  ASSERT_EQ(more.status, 0) << more.output;
  EXPECT_EQ(test::summary(run()).at("damaged_images"), damaged.size());
  for (const auto& [name, bytes] : damaged) {
    EXPECT_THAT(more.output, HasSubstr(fmt::format("warning: {} is damaged (", name)));
    EXPECT_EQ(read_file(photos() / name), bytes);
  }
  EXPECT_THAT(more.output, HasSubstr("30000x30000"));
}

TEST_F(BadInput, OfTooManyDamagedPhotosSaysHowToAllowThem) {
  for (int i = 0; i < 12; ++i) add(fmt::format("red pears/{:02}.jpg", i), "text");
  const auto trained = train();
  EXPECT_EQ(trained.status, 1);
  EXPECT_THAT(trained.output, AllOf(HasSubstr("images are damaged, the latest red pears/"),
                                    HasSubstr("damaged=FRACTION")));
}

TEST_F(BadInput, OfFoldersIsAnsweredByWhatIsWanted) {
  fs::create_directories(photos() / "blue plums");
  const auto trained = train();
  EXPECT_EQ(trained.status, 0) << trained.output;
  EXPECT_THAT(trained.output, AllOf(HasSubstr("left out   no class is made of folders without"),
                                    HasSubstr("'blue plums'")));
  fs::remove_all(run());
  fs::remove_all(photos() / "Grüne Äpfel");
  expect_refused(train(), AllOf(HasSubstr("one class alone, 'red pears'"),
                                HasSubstr("'blue plums'"), HasSubstr("CLASS/NAME.jpg")));
  fs::remove_all(photos() / "red pears");
  expect_refused(train(), AllOf(HasSubstr("of no class"), HasSubstr("CLASS/NAME.jpg")));
}

TEST_F(BadInput, OfAFolderThatCannotBeReadNamesIt) {
  const fs::path program = path() / "yoke";  // where any user may run it
  fs::copy_file(YOKE_PROGRAM, program);
  std::vector<std::string> command = {program.string()};
  if (::geteuid() == 0) {
    command.insert(command.begin(), {"setpriv", "--reuid=65534", "--clear-groups", "--"});
  }
  auto version = command;
  version.emplace_back("--version");
  if (test::run_program(version).status != 0) {
    GTEST_SKIP() << "nobody but root can run programs in " << path();
  }
  const auto training = words({photos().string(), "--model", "lenet"});
  command.insert(command.end(), training.begin(), training.end());
  fs::permissions(photos(), fs::perms::all);
  fs::permissions(photos() / "red pears", fs::perms::none);
  const auto refused = test::run_program(command);
  fs::permissions(photos() / "red pears", fs::perms::owner_all);
  EXPECT_EQ(refused.status, 1) << refused.output;
  EXPECT_THAT(refused.output, AllOf(HasSubstr("/my photos, all/red pears: Permission denied"),
                                    HasSubstr("let yourself read it")));
  EXPECT_FALSE(fs::exists(run()));
}

TEST_F(BadInput, OfWeightsIsRefusedBeforeAnythingIsWritten) {
  ASSERT_EQ(train().status, 0);
  const fs::path weights = path() / "lenet.safetensors";
  fs::rename(RunDirectory{run()}.weights(), weights);
  fs::remove_all(run());
  expect_refused(train({"--model", "mlp", "--weights", weights.string()}),
                 AllOf(HasSubstr("does not fit the model"), HasSubstr("fc1")));

  const std::string whole = read_file(weights);
  write_file(weights, whole.substr(0, whole.size() / 2));
  const auto cut = train({"--model", "lenet", "--weights", weights.string()});
  EXPECT_EQ(cut.status, 1) << cut.output;
  EXPECT_THAT(cut.output, HasSubstr(weights.string()));
  EXPECT_FALSE(fs::exists(run()));
}

TEST_F(BadInput, OfWeightsThatWereDamagedOnDiskNamesTheCommandThatBringsThem) {
  const auto file = find_published_weights("resnet18:imagenet").path(path());
  fs::create_directories(file.parent_path());
  write_file(file, "tampered with");
  const auto damaged =
      train({"--model", "resnet18", "--weights", "imagenet", "--data-dir", path().string()});
  EXPECT_EQ(damaged.status, 1) << damaged.output;
  EXPECT_THAT(
      damaged.output,
      AllOf(HasSubstr("the file of weights imagenet is damaged"),
            HasSubstr("bring it anew by `yoke weights fetch resnet18:imagenet --data-dir")));
  EXPECT_FALSE(fs::exists(run()));
}

TEST_F(BadInput, OfAModelThatOnnxLacksTheOperatorsForLeavesTheFileThatIsThere) {
  const test::ScriptMaker maker;
  auto module = maker.module("Net");
  module.register_module("fc", maker.layer("Linear", {2, 3}));
  module.define(R"(
def forward(self, x):
    x = torch.digamma(torch.mean(x, [2, 3]) + 5.0)
    return torch.linear(x, self.fc.weight, self.fc.bias)
)");
  const auto trained = train({"--model", test::script_choice(module, path() / "net.ts")});
  ASSERT_EQ(trained.status, 0) << trained.output;
  const auto onnx = path() / "model.onnx", script = path() / "model.ts";
  write_file(onnx, "of another day");
  const auto refused = run_yoke({"export", run().string(), "-o", onnx.string(), "--force"});
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_THAT(refused.output, AllOf(HasSubstr("aten::digamma"), HasSubstr("model.ts")));
  EXPECT_EQ(read_file(onnx), "of another day");
  EXPECT_EQ(run_yoke({"export", run().string(), "-o", script.string()}).status, 0);
}

}  // namespace
}  // namespace yoke
