// The installed library, as its users find it: the examples, built against it, by themselves and
// over ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tests/data/dataset_files.h"
#include "tests/data/image_files.h"
#include "tests/support/support.h"

namespace yoke::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A prefix with everything that is installed.
class Install : public testing::Test {
 protected:
  void SetUp() override { run({YOKE_CMAKE, "--install", YOKE_BUILD_DIR, "--prefix", prefix()}); }

  std::string prefix() const { return directory_.path() / "prefix"; }
  std::string place(const std::string& name) const { return directory_.path() / name; }

  /// Configures and builds `examples/<name>` as a user would.
  void build(const std::string& name) const {
    const std::string flags = std::string("-DCMAKE_CXX_FLAGS=") + YOKE_SANITIZER_FLAGS;
    run({YOKE_CMAKE, "-S", std::string(YOKE_SOURCE_DIR) + "/examples/" + name, "-B", place("build"),
         "-G", YOKE_GENERATOR, "-DCMAKE_PREFIX_PATH=" + prefix(), flags});
    run({YOKE_CMAKE, "--build", place("build")});
  }

  /// What `command` prints as two ranks of the installed `yoke run`.
  std::string run_two_ranks(std::vector<std::string> command) const {
    command.insert(command.begin(),
                   {prefix() + "/bin/yoke", "run", "-np", "2", "--log-dir", place("logs"), "--"});
    return run(command);
  }

  /// What a command prints, which must succeed.
  static std::string run(const std::vector<std::string>& command) {
    const auto result = run_program(command);
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  }

 private:
  const TemporaryDirectory directory_;
};

/// The first group of each match of `pattern`.
std::vector<std::string> all(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

/// MNIST's files as LibTorch's reader wants them, unpacked and of full size. An image of class k
/// has two bright rows, lower the larger k is.
void write_full_mnist(const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [name, images] : {std::pair("train", 60'000U), std::pair("t10k", 10'000U)}) {
    std::string pixels, labels;
    for (std::uint32_t i = 0; i < images; ++i) {
      std::string image(784, '\0');
      image.replace(std::size_t{56} * (i % 10 + 2), 56, 56, '\xc8');
      pixels += image;
      labels += static_cast<char>(i % 10);
    }
    write_file(folder / (std::string(name) + "-images-idx3-ubyte"),
               idx_file({images, 28, 28}, pixels));
    write_file(folder / (std::string(name) + "-labels-idx1-ubyte"), idx_file({images}, labels));
  }
}

TEST_F(Install, BuildsAProgramThatTrainsItsOwnModule) {
  build("mnist");
  const std::vector<std::string> command = {place("build") + "/mnist",
                                            "glyphs:train=512,validation=256", "data"};
  const auto with_run = [&](const std::string& run) {
    auto arguments = command;
    arguments.push_back(place(run));
    return arguments;
  };
  const std::string pattern = "Validation accuracy (0\\.[0-9]+)";
  EXPECT_EQ(all(run(with_run("one")), pattern).size(), 1U);
  EXPECT_EQ(all(run_two_ranks(with_run("two")), pattern).size(), 1U);
  EXPECT_THAT(read_file(fs::path(place("one")) / "summary.json"), HasSubstr("\"world_size\": 1,"));
  EXPECT_THAT(read_file(fs::path(place("two")) / "summary.json"), HasSubstr("\"world_size\": 2,"));
}

TEST_F(Install, BuildsAProgramWhoseOwnLoopTrainsOverRanks) {
  build("data-parallel");
  write_full_mnist(place("mnist"));
  const std::string output =
      run_two_ranks({place("build") + "/data_parallel", place("mnist"), "1"});
  const auto accuracy = all(output, "Test accuracy ([0-9.e+-]+)");
  ASSERT_EQ(accuracy.size(), 1U) << output;
  EXPECT_GT(std::stod(accuracy.front()), 0.95);
  EXPECT_EQ(all(output, "(Epoch 0), loss").size(), 1U) << output;
}

TEST_F(Install, BuildsAProgramThatLabelsPhotos) {
  const fs::path photos = place("photos");
  for (int i = 0; i < 40; ++i) {
    const fs::path folder = photos / (i % 2 == 0 ? "a" : "b");
    fs::create_directories(folder);
    write_file(folder / (std::to_string(i) + ".png"), png_file(picture(32, 32 + i)));
  }
  run({prefix() + "/bin/yoke", "train", photos, "--model", "lenet", "--epochs", "1", "--out",
       place("run")});
  build("classify");
  const std::string output =
      run({place("build") + "/classify", place("run"), photos / "a/0.png", photos / "b/1.png"});
  EXPECT_EQ(all(output, "png  ([ab]) 0\\.[0-9]+").size(), 2U) << output;
}

TEST_F(Install, HoldsTheProgramAndWhatBelongsToIt) {
  EXPECT_THAT(run({prefix() + "/bin/yoke", "--version"}), HasSubstr("yoke "));
  for (const char* const file :
       {"yoke/recipes/first.toml", "man/man1/yoke.1", "man/man1/yoke-train.1",
        "bash-completion/completions/yoke", "zsh/vendor-completions/_yoke", "doc/yoke/copyright",
        "doc/yoke/docs/install.md", "doc/yoke/examples/mnist/main.cpp"}) {
    EXPECT_TRUE(fs::exists(fs::path(prefix()) / "share" / file)) << file;
  }
}

}  // namespace
}  // namespace yoke::test
