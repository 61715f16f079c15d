#include "yoke/core/files/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/support/support.h"
#include "yoke/core/error.h"
#include "yoke/core/files/checksum.h"
#include "yoke/core/files/file.h"
#include "yoke/core/files/safetensors_header.h"
#include "yoke/core/random.h"

namespace yoke {
namespace {

using ::testing::HasSubstr;

/// Every dtype, an empty and a 0-rank tensor, and one that is not contiguous.
NamedTensors example() {
  const auto ramp = torch::arange(6).reshape({2, 3});
  return {{"bool", ramp > 2},
          {"u8", ramp.to(torch::kUInt8)},
          {"f32", ramp.to(torch::kFloat32) * 0.5},
          {"i8", -ramp.to(torch::kInt8)},
          {"i16", -ramp.to(torch::kInt16)},
          {"f64", ramp.to(torch::kFloat64) / 3},
          {"i32", ramp.to(torch::kInt32)},
          {"bf16", ramp.to(torch::kBFloat16)},
          {"f16", ramp.to(torch::kFloat16)},
          {"transposed", ramp.t()},
          {"scalar", torch::tensor(7.5f).squeeze()},
          {"empty", torch::empty({0, 5}, torch::kInt64)}};
}

std::string with_header(std::string_view header, std::string_view data) {
  std::string text(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(text.data(), &length, sizeof length);
  return text.append(header).append(data);
}

/// What reading a file of these bytes throws.
std::string problem_of(std::string_view bytes) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "some.safetensors";
  write_file(path, bytes);
  try {
    read_safetensors(path);
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.what();
  }
  return "nothing";
}

TEST(Safetensors, RoundTripKeepsNamesOrderAndValues) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.safetensors";
  const auto tensors = example();
  write_safetensors(path, tensors, {{"format", "pt"}});
  const auto read = read_safetensors(path);
  ASSERT_EQ(read.size(), tensors.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].first, tensors[i].first);
    EXPECT_EQ(read[i].second.scalar_type(), tensors[i].second.scalar_type()) << read[i].first;
    EXPECT_EQ(read[i].second.sizes(), tensors[i].second.sizes()) << read[i].first;
    EXPECT_TRUE(torch::equal(read[i].second, tensors[i].second)) << read[i].first;
  }
}

TEST(Safetensors, AlignsDataAndEachTensor) {
  const auto entries = place_safetensors(example());
  EXPECT_EQ(safetensors_header(entries, {}).size() % 8, 0u);
  for (const auto& entry : entries) {
    EXPECT_EQ(entry.begin % c10::elementSize(entry.dtype), 0u) << entry.name;
  }
}

TEST(Safetensors, TellsSizeAndSumOfWhatItWrote) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.safetensors";
  const auto written = write_safetensors(path, example());
  EXPECT_EQ(written.size_bytes, std::filesystem::file_size(path));
  EXPECT_EQ(written.sha256, file_checksum("sha256", path));
}

TEST(Safetensors, HoldsNoTensors) {
  const test::TemporaryDirectory directory;
  write_safetensors(directory.path() / "none", {});
  EXPECT_TRUE(read_safetensors(directory.path() / "none").empty());
}

TEST(Safetensors, RefusesToWriteWhatTheFormatLacks) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.safetensors";
  const auto one = torch::ones({1});
  EXPECT_THROW(write_safetensors(path, {{"a", one}, {"a", one}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"__metadata__", one}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"c", one.to(torch::kComplexFloat)}}), Error);
  EXPECT_THROW(write_safetensors(path, {{"\xff", one}}), Error);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Safetensors, ReadsPaddedHeaderMetadataAndAnyOrderOfData) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "other.safetensors";
  write_file(path, with_header(R"({"b":{"data_offsets":[2,3],"shape":[],"dtype":"U8"},)"
                               R"("__metadata__":{"x":"y"},)"
                               R"("a":{"dtype":"I8","shape":[2,1],"data_offsets":[0,2]}}   )",
                               "\x01\x02\x03"));
  const auto read = read_safetensors(path);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].first, "b");
  EXPECT_EQ(read[0].second.item<int>(), 3);
  EXPECT_TRUE(torch::equal(read[1].second, torch::tensor({1, 2}, torch::kInt8).view({2, 1})));
}

struct Damage {
  const char* name;
  const char* header;
  const char* data;
  const char* problem;
};

class DamagedSafetensors : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedSafetensors, IsAnErrorThatSaysWhatIsWrong) {
  EXPECT_THAT(problem_of(with_header(GetParam().header, GetParam().data)),
              HasSubstr(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedSafetensors,
    ::testing::Values(
        Damage{"NotJson", "{", "", "not JSON"}, Damage{"NotAnObject", "[]", "", "begin with"},
        Damage{"LeadingSpace", " {}", "", "begin with"},
        Damage{"TextAfterJson", "{} x", "", "not JSON"},
        Damage{"RepeatedName",
               R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
               R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
               "x", "'a' is repeated"},
        Damage{"RepeatedKey",
               R"({"a":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})", "x",
               "'dtype' is repeated"},
        Damage{"DeepNesting", R"({"a":{"shape":[[[[[]]]]]}})", "", "nested too deep"},
        Damage{"UnknownDtype", R"({"a":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}})", "x",
               "tensor 'a': dtype is \"F8\""},
        Damage{"MissingShape", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "x",
               "shape is missing"},
        Damage{"UnknownKey", R"({"a":{"dtype":"U8","shape":[],"data_offsets":[0,1],"b":0}})", "x",
               "keys other than"},
        Damage{"NegativeShape", R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "x",
               "whole numbers"},
        Damage{"FractionalOffset", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1.0]}})",
               "x", "whole numbers"},
        Damage{"ThreeOffsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,1]}})", "x",
               "data_offsets [0, 1, 1]"},
        Damage{"DescendingOffsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[1,0]}})", "x",
               "data_offsets [1, 0]"},
        Damage{"OffsetsBeyondEnd", R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "x",
               "in 1 bytes of data"},
        Damage{"ShapeAndSizeDiffer", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
               "xxxx", "takes 8 bytes, but data_offsets hold 4"},
        Damage{"ShapeOverflows",
               R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", "",
               "overflows"},
        Damage{"ZeroHidesOverflow",
               R"({"a":{"dtype":"U8","shape":[0,9223372036854775807,9],"data_offsets":[0,0]}})", "",
               "overflows"},
        Damage{"Hole",
               R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
               R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
               "xxx", "a hole"},
        Damage{"Overlap",
               R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
               R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
               "xxx", "an overlap"},
        Damage{"DataWithoutTensor", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
               "xx", "2 bytes of data, but the tensors take 1"},
        Damage{"MetadataNotStrings", R"({"__metadata__":{"a":1}})", "", "not a string"},
        Damage{"BoolOutOfRange", R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "x",
               "expected bytes 0 and 1, found 120"}),
    [](const auto& tested) { return tested.param.name; });

TEST(Safetensors, RefusesImpossibleHeaderLengths) {
  EXPECT_THAT(problem_of("1234567"), HasSubstr("7 bytes are too few"));
  EXPECT_THAT(problem_of(std::string(8, '\xff') + "{}"), HasSubstr("at most 2 are possible"));
}

TEST(Safetensors, RefusesHeaderOverTheLimit) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "large";
  write_file(path, with_header("", "{}"));
  std::filesystem::resize_file(path, kMaxSafetensorsHeader + 100);
  std::string bytes(8, '\0');
  const auto length = kMaxSafetensorsHeader + 1;
  std::memcpy(bytes.data(), &length, sizeof length);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.write(bytes.data(), 8);
  }
  try {
    read_safetensors(path);
    FAIL() << "a header over the limit was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("at most 100000000 are possible"));
  }
}

TEST(Safetensors, MissingFileIsAnErrorThatNamesIt) {
  try {
    read_safetensors("/nowhere/model.safetensors");
    FAIL() << "a missing file was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/model.safetensors"));
  }
}

/// One random change: a byte, a piece cut out, a piece twice, or the end cut off.
std::string mutate(std::string bytes, RandomStream& random) {
  const auto place = random.below(bytes.size());
  const auto length = 1 + random.below(16);
  switch (random.below(4)) {
    case 0:
      bytes[place] = static_cast<char>(random.below(256));
      break;
    case 1:
      bytes.erase(place, length);
      break;
    case 2:
      bytes.insert(place, bytes.substr(place, length));
      break;
    default:
      bytes.resize(place);
      break;
  }
  return bytes;
}

TEST(Safetensors, AnyMutationIsReadOrIsAnError) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "mutated.safetensors";
  write_safetensors(path, example(), {{"format", "pt"}});
  const auto sound = read_file(path);
  RandomStream random(1, 0, 0, Purpose::kTest);
  int errors = 0;
  for (int i = 0; i < 300; ++i) {
    auto bytes = mutate(sound, random);
    if (!bytes.empty() && random.below(2) == 0) bytes = mutate(bytes, random);
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      for (const auto& [name, tensor] : read_safetensors(path)) tensor.sum();
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 100);
}

TEST(Safetensors, AnyMutationOfTheHeaderFillsTheDataOrIsAnError) {
  const auto entries = place_safetensors(example());
  const auto sound = safetensors_header(entries, {{"format", "pt"}});
  std::uint64_t data_bytes = 0;
  for (const auto& entry : entries) data_bytes += entry.size_bytes();
  RandomStream random(2, 0, 0, Purpose::kTest);
  int errors = 0;
  for (int i = 0; i < 10000; ++i) {
    try {
      std::uint64_t covered = 0;
      for (const auto& entry :
           parse_safetensors_header(mutate(sound, random), data_bytes).entries) {
        covered += entry.size_bytes();
      }
      EXPECT_EQ(covered, data_bytes);
    } catch (const Error&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 5000);
}

TEST(Safetensors, PythonReadsTheSameValues) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "model.safetensors";
  write_safetensors(path, example(), {{"format", "pt"}});
  const auto result = test::run_python("torch", R"(
import json, struct, sys, torch
raw = open(sys.argv[1], 'rb').read()
length, = struct.unpack('<Q', raw[:8])
header, data = json.loads(raw[8:8 + length]), bytearray(raw[8 + length:])
assert raw[8:9] == b'{' and (8 + length) % 8 == 0
assert header.pop('__metadata__') == {'format': 'pt'}
dtypes = dict(F64=torch.float64, F32=torch.float32, F16=torch.float16, BF16=torch.bfloat16,
              I64=torch.int64, I32=torch.int32, I16=torch.int16, I8=torch.int8, U8=torch.uint8,
              BOOL=torch.bool)
ramp = torch.arange(6).reshape(2, 3)
expected = dict(
    bool=ramp > 2, u8=ramp.to(torch.uint8), f32=ramp.to(torch.float32) * 0.5,
    i8=-ramp.to(torch.int8), i16=-ramp.to(torch.int16), f64=ramp.to(torch.float64) / 3,
    i32=ramp.to(torch.int32), bf16=ramp.to(torch.bfloat16), f16=ramp.to(torch.float16),
    transposed=ramp.t(), scalar=torch.tensor(7.5), empty=torch.empty(0, 5, dtype=torch.int64))
assert list(header) == list(expected), list(header)
for name, entry in header.items():
    begin, end = entry['data_offsets']
    dtype = dtypes[entry['dtype']]
    flat = torch.frombuffer(data[begin:end], dtype=dtype) if end > begin else torch.empty(0, dtype=dtype)
    tensor = flat.reshape(entry['shape'])
    assert tensor.dtype == expected[name].dtype and torch.equal(tensor, expected[name]), name
print('equal')
)",
                                       {path.string()});
  if (!result) GTEST_SKIP() << "Python's torch is not installed (Debian: python3-torch)";
  EXPECT_EQ(result->output, "equal\n");
}

}  // namespace
}  // namespace yoke
