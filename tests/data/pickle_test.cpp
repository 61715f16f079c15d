// tests/data/pickle_test.cpp: pickles of every protocol, and ones that mean harm.
#include "yoke/data/formats/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/data/dataset_files.h"
#include "tests/data/pickle_files.h"
#include "tests/support/support.h"

namespace yoke {
namespace {

using namespace std::string_literals;
using test::little_endian;
using test::python2_batch;
using test::python2_string;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The message of reading `program` after a header of protocol 4.
std::string failure(const std::string& program) {
  return test::failure_of([&] { Pickle("\x80\4" + program, "file"); });
}

PickleValue root_of(const Pickle& pickle) { return pickle.root(); }

TEST(Pickle, ReadsWhatPython2Wrote) {
  const Pickle pickle(python2_batch({3, 0, 255}, 2, "abcdef"), "file");
  const PickleValue root = root_of(pickle);
  EXPECT_EQ(root.at("batch_label").text(), "a batch");
  EXPECT_THAT(root.at("labels").integers(), ElementsAre(3, 0, 255));
  const PickleArray& array = root.at("data").array();
  EXPECT_EQ(array.kind, 'u');
  EXPECT_EQ(array.item_bytes, 1);
  EXPECT_THAT(array.shape, ElementsAre(3, 2));
  EXPECT_EQ(array.bytes, "abcdef");
  EXPECT_FALSE(root.find("mean").has_value());
}

TEST(Pickle, ReadsNumbersOfAllSizes) {
  const Pickle pickle(
      "\x80\2("s
      "K\xff"
      "M\xff\xff"
      "J\xfe\xff\xff\xff"
      "\x8a\0"s
      "\x8a\1\x80"s
      "\x8a\10\0\0\0\0\0\0\0\x80"s
      "\x8b\2\0\0\0\0\1"s
      "\x88\x89N"s
      "G\xbf\xf8\0\0\0\0\0\0"s
      "t."s,
      "file");
  const auto items = pickle.root().items();
  ASSERT_EQ(items.size(), 11);
  const std::vector<std::int64_t> expected = {255, 65535, -2, 0, -128, INT64_MIN, 256, 1, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(items[i].integer(), expected[i]) << i;
  EXPECT_EQ(items[9].type(), "None");
  EXPECT_EQ(items[10].number(), -1.5);
}

TEST(Pickle, KeepsValuesInItsMemo) {
  const Pickle pickle("\x80\4(]\x94K\1ah\0r\7\0\0\0j\7\0\0\0t."s, "file");
  const auto items = pickle.root().items();
  ASSERT_EQ(items.size(), 3);
  for (const auto& item : items) EXPECT_THAT(item.integers(), ElementsAre(1));
}

TEST(Pickle, TakesTheLastOfEqualKeys) {
  const Pickle pickle("\x80\4}(\x8c\1aK\1\x8c\1aK\2u."s, "file");
  EXPECT_EQ(pickle.root().at("a").integer(), 2);
}

class PickleFromPython : public ::testing::TestWithParam<int> {};

TEST_P(PickleFromPython, GivesTheSameValues) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "file";
  const auto result = test::run_python("numpy", R"(
import numpy, pickle, sys
value = {
  'data': numpy.arange(300, dtype='uint8').reshape(3, 100),
  'labels': list(range(0, 4000, 2)) + [70000, -1, 2**40],
  'mean': numpy.array([0.5, -2.0]), 'ids': numpy.array([[-1, 2], [3, 2**40]]),
  'short': numpy.array([-5, 300], dtype='int16'), 'bytes': b'a\xff\x00\xe9', 'text': 'gr\u00fcn',
  'long text': 'x' * 300, 'nested': [(1, 2.5, None, True), {}, []], 'empty': numpy.zeros((0, 4)),
  'scalar': numpy.array(7)}
value['again'] = value['labels']
pickle.dump(value, open(sys.argv[1], 'wb'), protocol=int(sys.argv[2]))
)",
                                       {path.string(), std::to_string(GetParam())});
  if (!result) GTEST_SKIP() << "Debian's Python has no numpy on this machine";
  ASSERT_EQ(result->status, 0) << result->output;
  const Pickle pickle(read_file(path), "file");
  const PickleValue root = pickle.root();
  const PickleArray& data = root.at("data").array();
  EXPECT_THAT(data.shape, ElementsAre(3, 100));
  for (std::size_t i = 0; i < 300; ++i)
    EXPECT_EQ(static_cast<unsigned char>(data.bytes[i]), i % 256);
  const auto labels = root.at("labels").integers();
  ASSERT_EQ(labels.size(), 2003);
  EXPECT_EQ(labels[1999], 3998);
  EXPECT_EQ(labels[2000], 70000);
  EXPECT_EQ(labels[2001], -1);
  EXPECT_EQ(labels[2002], std::int64_t{1} << 40);
  EXPECT_EQ(root.at("again").integers(), labels);
  EXPECT_EQ(root.at("mean").array().kind, 'f');
  EXPECT_EQ(root.at("mean").array().bytes, "\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\0\xc0"s);
  EXPECT_THAT(root.at("ids").integers(), ElementsAre(-1, 2, 3, std::int64_t{1} << 40));
  EXPECT_THAT(root.at("short").integers(), ElementsAre(-5, 300));
  EXPECT_EQ(root.at("bytes").text(), "a\xff\0\xe9"s);
  EXPECT_EQ(root.at("text").text(), "gr\xc3\xbcn");
  EXPECT_EQ(root.at("long text").text().size(), 300);
  EXPECT_EQ(root.at("nested").items()[0].items()[1].number(), 2.5);
  EXPECT_THAT(root.at("empty").array().shape, ElementsAre(0, 4));
  EXPECT_THAT(root.at("scalar").integers(), ElementsAre(7));
}

INSTANTIATE_TEST_SUITE_P(Protocol, PickleFromPython, ::testing::Values(2, 3, 4, 5));

TEST(Pickle, ReadsRealBatches) {
  const auto folder = test::real_data("imagenet32-sample");
  if (!folder) GTEST_SKIP() << "the sample of the down-sampled ImageNet is not on this machine";
  const Pickle train(read_file(*folder / "train_data_batch_1"), "train");
  EXPECT_THAT(train.root().at("data").array().shape, ElementsAre(450, 3072));
  EXPECT_EQ(train.root().at("labels").integers().size(), 450);
  EXPECT_THAT(train.root().at("mean").array().shape, ElementsAre(3072));
  const Pickle validation(read_file(*folder / "val_data"), "validation");
  const Pickle protocol2(read_file(*folder / "protocol2" / "val_data"), "protocol 2");
  EXPECT_EQ(validation.root().at("data").array().bytes, protocol2.root().at("data").array().bytes);
  EXPECT_EQ(validation.root().at("labels").integers(), protocol2.root().at("labels").integers());
}

TEST(Pickle, NamesWhatItMayNotCall) {
  EXPECT_THAT(failure("cos\nsystem\n(\x8c\2lst\x85R."s),
              AllOf(HasSubstr("file"), HasSubstr("'os.system'")));
  EXPECT_THAT(failure("\x8c\x08"
                      "builtins\x8c\4eval\x93."s),
              HasSubstr("'builtins.eval'"));
  EXPECT_THAT(failure("cnumpy\nndarray\n)R."s), HasSubstr("not allowed"));
  EXPECT_THAT(failure("cnumpy\nload\n)R."s), HasSubstr("'numpy.load'"));
}

TEST(Pickle, FailsOnDamage) {
  EXPECT_THAT(test::failure_of([] { Pickle("", "file"); }), HasSubstr("file"));
  EXPECT_THAT(test::failure_of([] { Pickle("(dp0\n.", "file"); }), HasSubstr("protocol 2 to 5"));
  EXPECT_THAT(test::failure_of([] { Pickle("\x80\6N.", "file"); }), HasSubstr("protocol 2 to 5"));
  EXPECT_THAT(failure("N"), HasSubstr("cut short"));
  EXPECT_THAT(failure("N.N"), HasSubstr("1 bytes follow"));
  EXPECT_THAT(failure("."), HasSubstr("one value"));
  EXPECT_THAT(failure("NN."), HasSubstr("one value"));
  EXPECT_THAT(failure("(N."), HasSubstr("one value"));
  EXPECT_THAT(failure("\xff."), HasSubstr("0xff"));
  EXPECT_THAT(failure("a."), HasSubstr("empty stack"));
  EXPECT_THAT(failure("](0."), HasSubstr("empty stack"));  // a mark guards what is under it
  EXPECT_THAT(failure("Ne."), HasSubstr("mark"));
  EXPECT_THAT(failure("NNa."), HasSubstr("None where a list"));
  EXPECT_THAT(failure("}(Nu."), HasSubstr("key without a value"));
  EXPECT_THAT(failure("NNb."), HasSubstr("None as a state"));
  EXPECT_THAT(failure("h\0."s), HasSubstr("memo"));
  EXPECT_THAT(failure("Nr\xff\xff\xff\xff."s), HasSubstr("memo"));
  EXPECT_THAT(failure("\x8a\x09"
                      "123456789."s),
              HasSubstr("64 bits"));
  EXPECT_THAT(failure("cno end"), HasSubstr("without an end"));
  EXPECT_THAT(failure("NQ."), HasSubstr("outside of it"));
  EXPECT_THAT(failure("ccollections\nOrderedDict\n)R."), HasSubstr("'collections.OrderedDict'"));
}

TEST(Pickle, ChecksLengthsBeforeItAllocates) {
  EXPECT_THAT(failure("T\xff\xff\xff\x7f."s), HasSubstr("2147483647 bytes expected"));
  EXPECT_THAT(failure("\x8e"s + std::string(8, '\xff') + "."), HasSubstr("cut short"));
  EXPECT_THAT(failure("\x8d"s + little_endian(1ULL << 63, 8) + "."), HasSubstr("cut short"));
}

TEST(Pickle, FailsOnArraysThatDoNotFitTheirBytes) {
  const auto array_failure = [](std::uint64_t rows, std::uint64_t columns) {
    return failure(test::python2_array(rows, columns, "abcd") + ".");
  };
  EXPECT_EQ(array_failure(2, 2), "no exception");
  EXPECT_THAT(array_failure(2, 3), AllOf(HasSubstr("4 bytes"), HasSubstr("6 expected")));
  EXPECT_THAT(array_failure(1U << 31, 2), HasSubstr("negative"));
  const std::string dtype = "cnumpy\ndtype\n\x8c\2u1\x85R"s;
  const std::string make = "cnumpy.core.numeric\n_frombuffer\n(C\1a"s;
  const std::string huge = "J\0\0\0\x40"s;
  EXPECT_THAT(failure(make + dtype + "(" + huge + huge + huge + "t\x8c\1CtR."s),
              HasSubstr("overflow"));
  EXPECT_EQ(failure(make + dtype + "K\1\x85\x8c\1CtR."s), "no exception");
  EXPECT_THAT(failure(make + dtype + "K\1\x85\x8c\1FtR."s), HasSubstr("row-major"));
  EXPECT_THAT(failure("cnumpy\ndtype\n\x8c\2O8\x85R."s), HasSubstr("'O8'"));
}

TEST(Pickle, IsSafeFromDeepNestingAndCycles) {
  constexpr std::size_t kDepth = 1'000'000;
  const Pickle deep("\x80\2" + std::string(kDepth, ']') + std::string(kDepth - 1, 'a') + ".",
                    "file");
  EXPECT_EQ(deep.root().items().size(), 1);
  const Pickle cycle("\x80\2]q\0h\0a."s, "file");
  EXPECT_EQ(cycle.root().items()[0].items().size(), 1);
}

TEST(Pickle, RefusesToGrowASmallFile) {
  // The same string encoded again and again would take the square of the file's size.
  std::string program =
      "c_codecs\nencode\nq\0"
      "0X"s +
      little_endian(10'000, 4) + std::string(10'000, 'x') + "q\1"s + "0";
  for (int i = 0; i < 3; ++i) program += "h\0h\1\x8c\6latin1\x86R0"s;
  EXPECT_THAT(failure(program + "N."), HasSubstr("again and again"));
  EXPECT_THAT(failure(std::string(5'000'000, ']') + "."), HasSubstr("more than 4194304 values"));
}

TEST(Pickle, TellsWhatIsOfAnotherType) {
  const Pickle pickle(python2_batch({1}, 1, "a"), "file");
  const PickleValue root = pickle.root();
  EXPECT_THAT(test::failure_of([&] { root.at("mean"); }),
              AllOf(HasSubstr("file"), HasSubstr("'mean'")));
  EXPECT_THAT(test::failure_of([&] { root.integer(); }), HasSubstr("a dict"));
  EXPECT_THAT(test::failure_of([&] { root.at("labels").array(); }), HasSubstr("a list"));
  EXPECT_THAT(test::failure_of([&] { root.at("data").text(); }), HasSubstr("an array"));
  EXPECT_THAT(test::failure_of([&] { root.at("data").find("x"); }), HasSubstr("an array"));
  EXPECT_THAT(test::failure_of([&] { root.items(); }), HasSubstr("a dict"));
}

TEST(Pickle, ReadsBytesThatProtocol2WroteAsAString) {
  const Pickle pickle(test::protocol2_batch(), "file");
  EXPECT_EQ(pickle.root().at("data").array().bytes,
            "a\xff"
            "b");
  EXPECT_THAT(pickle.root().at("labels").integers(), ElementsAre(5));
}

}  // namespace
}  // namespace yoke
