// tests/data/state_dict_test.cpp: pickles of state dicts, and ones that mean harm.
#include "yoke/data/formats/state_dict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/data/dataset_files.h"
#include "tests/data/torch_files.h"

namespace yoke {
namespace {

using namespace std::string_literals;
using test::pickle_of;
using test::pickled_dict;
using test::PickledTensor;
using test::python3_string;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<TensorPlace> read(const std::string& value) {
  return read_state_dict(pickle_of(value), "file");
}

/// The message of reading a dict that has `value` as its `x`.
std::string failure_with(const std::string& value) {
  return test::failure_of([&] { read(pickled_dict({{"x", value}})); });
}

std::string failure_with(const PickledTensor& tensor) { return failure_with(tensor.bytes()); }

TEST(StateDict, TellsWhereTensorsLie) {
  const auto places = read(pickled_dict(
      {{"weight", PickledTensor{.offset = 1, .shape = {2, 2}, .strides = {1, 3}}.bytes()},
       {"count",
        PickledTensor{
            .record = "1", .elements = 1, .shape = {}, .strides = {}, .storage = "LongStorage"}
            .bytes()}}));
  ASSERT_EQ(places.size(), 2);
  EXPECT_EQ(places[0].name, "weight");
  EXPECT_EQ(places[0].record, "0");
  EXPECT_EQ(places[0].dtype, c10::kFloat);
  EXPECT_EQ(places[0].elements, 6);
  EXPECT_EQ(places[0].offset, 1);
  EXPECT_THAT(places[0].shape, ElementsAre(2, 2));
  EXPECT_THAT(places[0].strides, ElementsAre(1, 3));
  EXPECT_EQ(places[1].name, "count");
  EXPECT_EQ(places[1].dtype, c10::kLong);
  EXPECT_THAT(places[1].shape, IsEmpty());
}

TEST(StateDict, PassesOverTheVersionsOfModules) {
  const std::string versions = '}' + python3_string("_metadata") + pickled_dict({}) + "sb";
  EXPECT_EQ(read(pickled_dict({{"x", PickledTensor().bytes()}}) + versions).size(), 1);
}

TEST(StateDict, ReadsParameters) {
  const auto parameter = "ctorch._utils\n_rebuild_parameter\n" + PickledTensor().bytes() + "\x88" +
                         test::kOrderedDict + "\x87R";
  EXPECT_THAT(read(pickled_dict({{"x", parameter}}))[0].shape, ElementsAre(2, 3));
}

TEST(StateDict, IsFoundInACheckpoint) {
  for (const char* const key : {"state_dict", "model"}) {
    const auto inner = pickled_dict({{"x", PickledTensor().bytes()}});
    const auto places = read(pickled_dict({{"epoch", "K\3"}, {key, inner}}));
    ASSERT_EQ(places.size(), 1) << key;
    EXPECT_EQ(places[0].name, "x");
  }
}

TEST(StateDict, MayHoldNothing) { EXPECT_THAT(read(pickled_dict({})), IsEmpty()); }

TEST(StateDict, NamesWhatItMayNotCall) {
  EXPECT_THAT(failure_with("cos\nsystem\n"s + python3_string("ls") + "\x85R"),
              AllOf(HasSubstr("file"), HasSubstr("'os.system'"), HasSubstr("state_dict()")));
  EXPECT_THAT(failure_with(python3_string("builtins") + python3_string("eval") + "\x93"),
              HasSubstr("'builtins.eval'"));
  EXPECT_THAT(failure_with("ctorch._utils\n_rebuild_qtensor\n"), HasSubstr("_rebuild_qtensor"));
  EXPECT_THAT(failure_with("ctorch\nload\n"), HasSubstr("'torch.load'"));
  EXPECT_THAT(failure_with("cnumpy\ndtype\n"), HasSubstr("'numpy.dtype'"));
  EXPECT_THAT(failure_with("ctorchvision.models.resnet\nResNet\n)\x81"), HasSubstr("ResNet"));
}

TEST(StateDict, RefusesOtherUsesOfWhatItKnows) {
  EXPECT_THAT(failure_with("ctorch\nFloatStorage\n)R"),
              HasSubstr("a storage class where a function"));
  EXPECT_THAT(failure_with("ccollections\nOrderedDict\nK\1\x85R"), HasSubstr("of something"));
  EXPECT_THAT(failure_with("ctorch._utils\n_rebuild_tensor_v2\n)R"),
              HasSubstr("lacks the storage"));
  EXPECT_THAT(failure_with("ctorch._utils\n_rebuild_parameter\nN\x85R"), HasSubstr("None"));
  EXPECT_THAT(failure_with(PickledTensor().bytes() + "}b"), HasSubstr("a tensor as an object"));
  EXPECT_THAT(failure_with("NQ"), HasSubstr("None as a reference"));
  EXPECT_THAT(failure_with(python3_string("module") + "\x85Q"), HasSubstr("something else"));
  EXPECT_THAT(failure_with(PickledTensor{.record = std::string(33, '0')}), HasSubstr("too long"));
}

TEST(StateDict, RefusesEveryOpcodeThatMakesObjectsOfClasses) {
  for (const char opcode : {'\x81', '\x92', '\x82', '\x83', '\x84', 'o', 'i', 'P', '\x97'}) {
    EXPECT_THAT(failure_with(")"s + opcode), HasSubstr("none of those that are read"))
        << static_cast<int>(opcode);
  }
}

TEST(StateDict, RefusesOtherValuesThanTensors) {
  EXPECT_THAT(failure_with("K\3"), AllOf(HasSubstr("'x' is an int"), HasSubstr("state_dict()")));
  EXPECT_THAT(test::failure_of([] { read("]"); }), HasSubstr("a list as the dict"));
  EXPECT_THAT(test::failure_of([] { read("}K\1" + PickledTensor().bytes() + "s"); }),
              HasSubstr("an int as the name"));
  const auto tensor = PickledTensor().bytes();
  EXPECT_THAT(test::failure_of([&] {
                read(pickled_dict({{"x", tensor}, {"x", tensor}}));
              }),
              HasSubstr("two tensors 'x'"));
}

TEST(StateDict, RefusesTensorsThatDoNotFitTheirStorage) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kHalf = std::int64_t{1} << 32;
  EXPECT_EQ(failure_with(PickledTensor{}), "no exception");
  EXPECT_EQ(failure_with(PickledTensor{.elements = 0, .shape = {0, 3}, .strides = {3, 1}}),
            "no exception");
  const std::vector<PickledTensor> wrong = {
      {.elements = 5},
      {.elements = -1},
      {.offset = 1},
      {.offset = -1},
      {.offset = kMost},
      {.strides = {4, 1}},
      {.strides = {-3, 1}},
      {.strides = {1}},
      {.strides = {kMost, 1}},
      {.shape = {-2, 3}},
      {.shape = {7}, .strides = {0}},  // more elements than there are
      {.shape = {kHalf, kHalf}, .strides = {0, 0}},
      {.shape = {0, kMost, 9}, .strides = {0, 0, 0}},  // an overflow that a zero hides
      {.elements = 0, .shape = {}, .strides = {}},
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    EXPECT_THAT(failure_with(wrong[i]), AllOf(HasSubstr("'x'"), HasSubstr("do not fit"))) << i;
  }
  EXPECT_THAT(failure_with(PickledTensor{.shape = std::vector<std::int64_t>(17, 1)}),
              HasSubstr("dimensions"));
}

}  // namespace
}  // namespace yoke
