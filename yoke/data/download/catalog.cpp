#include "yoke/data/download/catalog.h"

namespace yoke {
namespace {

constexpr std::int64_t kCifarBatchBytes = std::int64_t{10'000} * (1 + 3 * 32 * 32);
constexpr std::int64_t kCifar100TestBytes = std::int64_t{10'000} * (2 + 3 * 32 * 32);

Digest md5(const char* digits) { return {.algorithm = "md5", .digits = digits}; }

// LeCun, Cortes and Burges 1998; their own server no longer gives the files out.
RemoteFiles mnist() {
  return {
      .name = "mnist",
      .mirrors = {"https://ossci-datasets.s3.amazonaws.com/mnist/",
                  "https://storage.googleapis.com/cvdf-datasets/mnist/"},
      .folder = "MNIST/raw",
      .files = {{"train-images-idx3-ubyte.gz", md5("f68b3c2dcbeaaa9fbdd348bbdeb94873"), 9'912'422},
                {"train-labels-idx1-ubyte.gz", md5("d53e105ee54ea40749a09fcbcd1e9432"), 28'881},
                {"t10k-images-idx3-ubyte.gz", md5("9fb629c4189551a2d022fa330f9573f3"), 1'648'877},
                {"t10k-labels-idx1-ubyte.gz", md5("ec29112dd5afa0611ce80d1b7f02629c"), 4'542}}};
}

// Xiao, Rasul and Vollgraf 2017.
RemoteFiles fashion_mnist() {
  return {
      .name = "fashion-mnist",
      .mirrors = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
                  "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/"},
      .folder = "FashionMNIST/raw",
      .files = {{"train-images-idx3-ubyte.gz", md5("8d4fb7e6c68d591d4c3dfef9ec88bf0d"), 26'421'880},
                {"train-labels-idx1-ubyte.gz", md5("25c81989df183df01b3e8a0aad5dffbe"), 29'515},
                {"t10k-images-idx3-ubyte.gz", md5("bef4ecab320f06d8554ea6380940ec79"), 4'422'102},
                {"t10k-labels-idx1-ubyte.gz", md5("bb300cfdad3c16e7a12a480ee83cd310"), 5'148}}};
}

// Krizhevsky 2009; the first host is the one to which the second, older address leads today.
std::vector<std::string> cifar_mirrors() {
  return {"https://cave.cs.toronto.edu/kriz/", "https://www.cs.toronto.edu/~kriz/"};
}

RemoteFiles cifar10() {
  return {
      .name = "cifar10",
      .mirrors = cifar_mirrors(),
      .files = {{"cifar-10-binary.tar.gz", md5("c32a1d4ab5d03f1284b67883e8d87530"), 170'052'171}},
      .unpacked_folder = "cifar-10-batches-bin",
      .unpacked_files = {{"data_batch_1.bin", kCifarBatchBytes},
                         {"data_batch_2.bin", kCifarBatchBytes},
                         {"data_batch_3.bin", kCifarBatchBytes},
                         {"data_batch_4.bin", kCifarBatchBytes},
                         {"data_batch_5.bin", kCifarBatchBytes},
                         {"test_batch.bin", kCifarBatchBytes}}};
}

RemoteFiles cifar100() {
  return {
      .name = "cifar100",
      .mirrors = cifar_mirrors(),
      .files = {{"cifar-100-binary.tar.gz", md5("03b5dce01913d631647c71ecec9e9cb8"), 168'513'733}},
      .unpacked_folder = "cifar-100-binary",
      .unpacked_files = {{"train.bin", 5 * kCifar100TestBytes}, {"test.bin", kCifar100TestBytes}}};
}

}  // namespace

std::int64_t RemoteFiles::size_bytes() const {
  std::int64_t size = 0;
  for (const auto& file : files) size += file.size_bytes;
  return size;
}

std::span<const RemoteFiles> remote_datasets() {
  static const std::vector<RemoteFiles> all = {mnist(), fashion_mnist(), cifar10(), cifar100()};
  return all;
}

const RemoteFiles* find_remote_dataset(std::string_view name) {
  for (const auto& dataset : remote_datasets()) {
    if (dataset.name == name) return &dataset;
  }
  return nullptr;
}

bool is_built_in(std::string_view name) { return name == "glyphs"; }

}  // namespace yoke
