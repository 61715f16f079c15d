// tests/data/legacy_pt_test.cpp: `.pt` files of PyTorch before 1.6, by hand. pt_test.cpp has those
// that Python writes.
#include "yoke/data/formats/legacy_pt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/data/dataset_files.h"
#include "tests/data/legacy_files.h"
#include "tests/support/support.h"
#include "yoke/data/formats/pt.h"

namespace yoke {
namespace {

using namespace std::string_literals;
using test::LegacyFile;
using test::pickled_dict;
using test::PickledTensor;
using ::testing::AnyOf;
using ::testing::HasSubstr;

class LegacyPt : public ::testing::Test {
 protected:
  NamedTensors read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_pt(path_);
  }
  std::string failure(const std::string& bytes) {
    const auto message = test::failure_of([&] { read(bytes); });
    EXPECT_THAT(message, AnyOf("no exception", HasSubstr(path_.string())));
    return message;
  }

  const test::TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_.path() / "weights.pth";
};

TEST_F(LegacyPt, GivesViewsOfItsStorages) {
  const auto part = PickledTensor{.offset = 1, .shape = {2, 2}, .strides = {1, 3}}.bytes();
  const auto tensors =
      read(LegacyFile{.dict = pickled_dict({{"x", PickledTensor().bytes()}, {"y", part}})}.bytes());
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_TRUE(torch::equal(tensors[0].second, torch::arange(6, torch::kFloat32).view({2, 3})));
  EXPECT_TRUE(torch::equal(tensors[1].second, torch::tensor({{1.F, 4.F}, {2.F, 5.F}})));
  EXPECT_TRUE(tensors[0].second.is_alias_of(tensors[1].second));
}

TEST_F(LegacyPt, FindsStoragesBehindThoseOfOtherValues) {
  // The optimizer's numbers come first, and are of another size.
  const PickledTensor other{
      .record = "7", .elements = 2, .shape = {2}, .strides = {1}, .storage = "DoubleStorage"};
  const auto file = LegacyFile{
      .dict = test::pickled_dict({{"optimizer", other.bytes()},
                                  {"state_dict", pickled_dict({{"x", PickledTensor().bytes()}})}}),
      .storages = {{"7", 2, std::string(16, '\x55')}, LegacyFile().storages.front()}};
  const auto tensors = read(file.bytes());
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_TRUE(torch::equal(tensors[0].second, torch::arange(6, torch::kFloat32).view({2, 3})));
}

// cPickle writes bytes for strings, and an OrderedDict as what it is made of.
TEST_F(LegacyPt, MayBeOfPython2AndOfPyTorchBefore04) {
  const auto tensor =
      "ctorch._utils\n_rebuild_tensor\n((U\7storagectorch\nFloatStorage\nU\1"
      "0U\3cpuK\6NtQ"
      "K\0K\2K\3\x86K\3K\1\x86tR"s;
  const auto dict = "ccollections\nOrderedDict\n(]](U\1x" + tensor + "eatR";
  const auto tensors = read(LegacyFile{.dict = dict}.bytes());
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].first, "x");
  EXPECT_TRUE(torch::equal(tensors[0].second, torch::arange(6, torch::kFloat32).view({2, 3})));
  EXPECT_THAT(failure(LegacyFile{.dict = "ccollections\nOrderedDict\n(]](U\1xeatR"}.bytes()),
              HasSubstr("a key without a value"));
}

TEST_F(LegacyPt, RefusesWhatIsNotAsThePickleSays) {
  const auto with = [](auto change) {
    LegacyFile file;
    change(file);
    return file.bytes();
  };
  EXPECT_EQ(failure(with([](LegacyFile&) {})), "no exception");
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.version = 1000; })),
              HasSubstr("version 1000 of its format; 1001 is read"));
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.little_endian = "\x89"; })),
              HasSubstr("byte order"));
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.storages[0].elements = 5; })),
              HasSubstr("storage '0' holds 5 elements, 6 are expected"));
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.storages[0].elements = -6; })),
              HasSubstr("holds -6 elements"));
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.storages.clear(); })),
              HasSubstr("lacks the record 0 of tensor 'x'"));
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.storages[0].name = "1"; })),
              HasSubstr("no tensor is in its storage '1'"));
  EXPECT_THAT(failure(with([](LegacyFile& file) { file.storages.push_back(file.storages[0]); })),
              HasSubstr("storage '0' twice"));
  const PickledTensor longer{.elements = 7, .shape = {7}, .strides = {1}};
  EXPECT_THAT(failure(with([&](LegacyFile& file) {
                file.dict = pickled_dict({{"x", PickledTensor().bytes()}, {"y", longer.bytes()}});
              })),
              HasSubstr("two storages '0'"));
  const PickledTensor negative{.elements = -6, .shape = {0}, .strides = {1}};
  EXPECT_THAT(failure(with([&](LegacyFile& file) {
                file.dict = pickled_dict({{"x", negative.bytes()}});
                file.storages[0].elements = -6;
              })),
              HasSubstr("do not fit its -6 elements"));
  const PickledTensor huge{.elements = 1LL << 61, .shape = {6}, .strides = {1}};
  EXPECT_THAT(failure(with([&](LegacyFile& file) {
                file.dict = pickled_dict({{"x", huge.bytes()}});
                file.storages[0].elements = 1LL << 61;
              })),
              HasSubstr("cut short within its storage '0'"));
  EXPECT_THAT(failure(with([](LegacyFile& file) {
                const auto none = file.dict.find("tQ");  // the part of a storage
                file.dict.insert(none, "(K\1K\2K\6t");
              })),
              HasSubstr("only whole ones are read"));
}

TEST_F(LegacyPt, FailsWhereverItIsCutShort) {
  const auto whole = LegacyFile().bytes();
  for (std::size_t size = 1; size < whole.size(); ++size) {
    ASSERT_NE(failure(whole.substr(0, size)), "no exception") << size;
  }
  EXPECT_THAT(failure(whole.substr(0, whole.size() - 1)), HasSubstr("within its storage '0'"));
}

}  // namespace
}  // namespace yoke
