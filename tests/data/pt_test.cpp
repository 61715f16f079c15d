// tests/data/pt_test.cpp: `.pt` files, by hand and by Python.
#include "yoke/data/formats/pt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/data/torch_files.h"
#include "tests/support/support.h"

namespace yoke {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;
using test::ArchiveEntry;
using test::pickle_of;
using test::pickled_dict;
using test::PickledTensor;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// The bytes of `values`.
template <typename Number>
std::string bytes_of(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

const std::string kSixFloats = bytes_of<float>({0, 1, 2, 3, 4, 5});

/// A `.pt` with the record data/0.
std::vector<ArchiveEntry> pt_entries(const std::string& dict,
                                     const std::string& record = kSixFloats) {
  return {{.name = "archive/data.pkl", .content = pickle_of(dict)},
          {.name = "archive/version", .content = "3\n"},
          {.name = "archive/data/0", .content = record}};
}

class PtFile : public ::testing::Test {
 protected:
  /// The message of reading a zip archive of `entries`.
  std::string failure(const std::vector<ArchiveEntry>& entries, const char* compression = "store") {
    write_zip(path_, entries, compression);
    return failure();
  }
  /// The message of reading a file of these bytes.
  std::string failure(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return failure();
  }
  std::string failure() {
    const auto message = test::failure_of([this] { read_pt(path_); });
    EXPECT_THAT(message, AnyOf("no exception", HasSubstr(path_.string())));
    return message;
  }

  test::TemporaryDirectory directory_;
  const fs::path path_ = directory_.path() / "weights.pt";
};

TEST_F(PtFile, GivesViewsOfItsRecords) {
  const auto whole = PickledTensor().bytes();
  const auto transposed = PickledTensor{.offset = 1, .shape = {2, 2}, .strides = {1, 3}}.bytes();
  write_zip(path_, pt_entries(pickled_dict({{"whole", whole}, {"transposed", transposed}})));
  const auto tensors = read_pt(path_);
  ASSERT_EQ(tensors.size(), 2);
  EXPECT_EQ(tensors[0].first, "whole");
  EXPECT_TRUE(torch::equal(tensors[0].second, torch::arange(6, torch::kFloat32).view({2, 3})));
  EXPECT_TRUE(torch::equal(tensors[1].second, torch::tensor({{1.F, 4.F}, {2.F, 5.F}})));
  EXPECT_TRUE(tensors[0].second.is_alias_of(tensors[1].second));
}

TEST_F(PtFile, RefusesRecordsThatAreNotWhatThePickleSays) {
  const auto dict = [](const PickledTensor& tensor) {
    return pickled_dict({{"x", tensor.bytes()}});
  };
  EXPECT_EQ(failure(pt_entries(dict({}))), "no exception");
  EXPECT_THAT(failure(pt_entries(dict({.record = "1"}))), HasSubstr("lacks the record data/1"));
  EXPECT_THAT(failure(pt_entries(dict({}), kSixFloats + "1234")),
              AllOf(HasSubstr("7 elements"), HasSubstr("6 are expected")));
  EXPECT_THAT(failure(pt_entries(dict({}), kSixFloats + "1")), HasSubstr("25 bytes"));
  EXPECT_THAT(failure(pt_entries(dict({.storage = "BoolStorage"}), "\0\1\0\1\2\0"s)),
              HasSubstr("true and false"));
  // The second time the record is known already.
  const PickledTensor longer{.elements = 600, .shape = {600}, .strides = {1}};
  EXPECT_THAT(
      failure(pt_entries(pickled_dict({{"x", PickledTensor().bytes()}, {"y", longer.bytes()}}))),
      HasSubstr("6 elements of tensor 'y', 600 are expected"));
}

TEST_F(PtFile, RefusesOtherArchives) {
  auto entries = pt_entries(pickled_dict({{"x", PickledTensor().bytes()}}));
  EXPECT_THAT(failure(entries, "deflate"), AllOf(HasSubstr("is compressed"), HasSubstr("zip -0")));
  entries.push_back({.name = "archive/byteorder", .content = "big"});
  EXPECT_THAT(failure(entries), HasSubstr("byte order"));
  entries.back() = {.name = "archive/constants.pkl", .content = "x"};
  EXPECT_THAT(failure(entries), AllOf(HasSubstr("TorchScript"), HasSubstr("torch.jit.load")));
  entries.back() = {.name = "other/data.pkl", .content = "x"};
  EXPECT_THAT(failure(entries), HasSubstr("more than one data.pkl"));
  entries.back() = entries.front();
  EXPECT_THAT(failure(entries), HasSubstr("'archive/data.pkl' twice"));
  EXPECT_THAT(failure({{.name = "photo.jpg", .content = "x"}}), HasSubstr("no data.pkl"));
}

TEST_F(PtFile, RefusesOtherFiles) {
  EXPECT_THAT(failure("\x80\2\x8a\nl\xfc\x9c"s), HasSubstr("before 1.6"));
  EXPECT_THAT(failure("not a zip archive"s), HasSubstr("cannot read the zip archive"));
  EXPECT_THAT(failure(""s), HasSubstr("cannot read the zip archive"));
  fs::remove(path_);
  EXPECT_THAT(failure(), HasSubstr("cannot read the zip archive"));
  fs::create_directory(path_);
  EXPECT_THAT(failure(), HasSubstr("cannot read the zip archive"));
}

TEST_F(PtFile, FailsWhenItIsCutShortOrAFileIsLargerThanIt) {
  write_zip(path_, pt_entries(pickled_dict({{"x", PickledTensor().bytes()}})));
  const auto whole = read_file(path_);
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    ASSERT_NE(failure(whole.substr(0, size)), "no exception") << size;
  }
  auto huge = whole;  // both sizes of the last file, before it and in the directory
  const auto sizes = "\xf0\xff\xff\x7f\xf0\xff\xff\x7f"s;
  huge.replace(huge.rfind("PK\3\4") + 18, 8, sizes);
  huge.replace(huge.rfind("PK\1\2") + 20, 8, sizes);
  EXPECT_THAT(failure(huge), HasSubstr("larger than the archive"));
  auto damaged = whole;
  damaged[damaged.find(kSixFloats) + 5] ^= 1;
  EXPECT_THAT(failure(damaged), HasSubstr("CRC"));
}

constexpr const char* kSave = R"(
import collections, sys, torch
folder = sys.argv[1]
def save(name, value, **options): torch.save(value, f'{folder}/{name}.pt', **options)
flat = torch.arange(12, dtype=torch.float32)
tensors = collections.OrderedDict(
    matrix=flat.view(3, 4), part=flat[5:9], transposed=flat.view(3, 4).t(),
    double=flat.double() / 3, half=flat.half(), bfloat16=flat.bfloat16(), long=-flat.long(),
    int=-flat.int(), short=-flat.short(), char=-flat.char(), byte=flat.byte(), bool=flat > 5,
    scalar=torch.tensor(7.5), empty=torch.empty(0, 3), parameter=torch.nn.Parameter(flat))
save('tensors', tensors)
save('checkpoint', {'epoch': 3, 'best': 0.5, 'name': 'x', 'list': [1, None, (2, True)],
                    'state_dict': tensors})
save('protocol4', tensors, pickle_protocol=4)
model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8))
save('state', model.state_dict())
save('old', tensors, _use_new_zipfile_serialization=False)
save('old4', {'optimizer': {'step': -flat.double()}, 'state_dict': tensors}, pickle_protocol=4,
     _use_new_zipfile_serialization=False)
save('model', model)
torch.jit.script(model).save(f'{folder}/script.pt')
print('saved')
)";

TEST(Pt, HoldsWhatPythonSaved) {
  const test::TemporaryDirectory directory;
  const auto result = test::run_python("torch", kSave, {directory.path().string()});
  if (!result) GTEST_SKIP() << "Python's torch is not installed (Debian: python3-torch)";
  ASSERT_EQ(result->output, "saved\n");
  const auto flat = torch::arange(12, torch::kFloat32), matrix = flat.view({3, 4});
  const NamedTensors expected = {{"matrix", matrix},
                                 {"part", flat.slice(0, 5, 9)},
                                 {"transposed", matrix.t()},
                                 {"double", flat.to(torch::kFloat64) / 3},
                                 {"half", flat.to(torch::kFloat16)},
                                 {"bfloat16", flat.to(torch::kBFloat16)},
                                 {"long", -flat.to(torch::kInt64)},
                                 {"int", -flat.to(torch::kInt32)},
                                 {"short", -flat.to(torch::kInt16)},
                                 {"char", -flat.to(torch::kInt8)},
                                 {"byte", flat.to(torch::kUInt8)},
                                 {"bool", flat > 5},
                                 {"scalar", torch::scalar_tensor(7.5F)},
                                 {"empty", torch::empty({0, 3})},
                                 {"parameter", flat}};
  for (const char* const name :
       {"tensors.pt", "checkpoint.pt", "protocol4.pt", "old.pt", "old4.pt"}) {
    const auto found = read_pt(directory.path() / name);
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].first, expected[i].first);
      EXPECT_EQ(found[i].second.scalar_type(), expected[i].second.scalar_type()) << found[i].first;
      EXPECT_TRUE(torch::equal(found[i].second, expected[i].second)) << found[i].first;
    }
  }
  EXPECT_EQ(read_pt(directory.path() / "state.pt").size(), 7);
  const auto failure = [&](const char* name) {
    return test::failure_of([&] { read_pt(directory.path() / name); });
  };
  EXPECT_THAT(failure("model.pt"), HasSubstr("'torch.nn.modules.container.Sequential'"));
  EXPECT_THAT(failure("script.pt"), HasSubstr("TorchScript"));
}

}  // namespace
}  // namespace yoke
