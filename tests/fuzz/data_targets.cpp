// Data sets, archives and weights of other programs.
#include "tests/data/archive.h"
#include "tests/data/dataset_files.h"
#include "tests/data/legacy_files.h"
#include "tests/data/pickle_files.h"
#include "tests/data/torch_files.h"
#include "tests/fuzz/target.h"
#include "yoke/data/dataset.h"
#include "yoke/data/datasets/image_labels.h"
#include "yoke/data/datasets/pickled_batch.h"
#include "yoke/data/formats/gzip.h"
#include "yoke/data/formats/idx.h"
#include "yoke/data/formats/legacy_pt.h"
#include "yoke/data/formats/pt.h"
#include "yoke/data/formats/state_dict.h"
#include "yoke/data/formats/tar.h"

namespace yoke::test {
namespace {

using namespace std::string_literals;

std::string state_dict_value() {
  const PickledTensor shared{.offset = 1, .shape = {2, 2}, .strides = {1, 3}};
  const auto dict = pickled_dict({{"a", PickledTensor().bytes() + "q\1"}, {"b", shared.bytes()}});
  return pickled_dict({{"epoch", "K\3"}, {"state_dict", dict}});
}

std::string state_dict() { return pickle_of(state_dict_value()); }

std::string pt_file() {
  return bytes_written_by([](const auto& path) {
    write_zip(path, {{.name = "x/data.pkl", .content = state_dict()},
                     {.name = "x/data/0", .content = std::string(24, 'a')}});
  });
}

std::string tar_file(int filter) {
  return bytes_written_by([filter](const auto& path) {
    write_archive(path,
                  {{.name = "train/cat/1.jpg", .content = "photo"},
                   {.name = "train/" + std::string(150, 'd') + "/2.jpg", .content = "another"}},
                  filter);
  });
}

void read_tar(const std::filesystem::path& path) {
  const TarFile tar(path, [](std::string_view) { return true; });
  std::vector<std::uint8_t> scratch;
  for (const auto& entry : tar.entries()) tar.read(entry.offset, entry.size_bytes, scratch);
}

/// CIFAR-10's six binary files of one image, the first of them written anew.
FuzzTarget cifar10_file() {
  const std::string record = std::string(1, '\3') + std::string(3 * 32 * 32, 'c');
  const InputFile file("cifar-10-batches-bin/data_batch_1.bin");
  const auto folder = file.path().parent_path();
  for (const char* other :
       {"data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"}) {
    write_file(folder / (std::string(other) + ".bin"), record);
  }
  return {"cifar10", {record}, [file](const std::string& bytes) {
            const auto root = file.holding(bytes).parent_path().parent_path();
            make_dataset("cifar10", {.data_dir = root});
          }};
}

/// Images of a folder, and a file that says of which class each is.
FuzzTarget label_file() {
  return {"labels",
          {"file,label,split\na/1.jpg,cat,train\n\"2\",dog,val\n", "id;class\n3;\"a \"\"b\"\"\"\n"},
          [file = InputFile()](const std::string& bytes) {
            std::vector<FoundImage> images;
            for (const char* const name : {"a/1.jpg", "b/1.jpg", "b/2.png", "3.jpg"}) {
              images.push_back({.split = "", .label = "", .place = {.name = name}});
            }
            apply_labels(images, file.holding(bytes));
          }};
}

}  // namespace

std::vector<FuzzTarget> data_targets() {
  constexpr std::int64_t kMostBytes = 1 << 20;
  return {{"idx",
           {idx_file({3, 2, 2}, "abcdefghijkl")},
           [](const std::string& bytes) { parse_idx(bytes, 3, "file"); }},
          {"gzip",
           {gzip("text that repeats, text that repeats"), "plain"},
           [file = InputFile()](const std::string& bytes) {
             read_plain_or_gzip(file.holding(bytes), kMostBytes);
           }},
          cifar10_file(),
          label_file(),
          {"pickled_batch",
           {python2_batch({3, 0}, 12, std::string(24, 'p'))},
           [file = InputFile()](const std::string& bytes) {
             ImageBatch batch;
             append_pickled_batch(file.holding(bytes), {3, 2, 2}, 10, {}, batch);
           }},
          {"state_dict",
           {state_dict()},
           [](const std::string& bytes) { read_state_dict(bytes, "file"); }},
          {"pt",
           {pt_file()},
           [file = InputFile("input.pt")](const std::string& bytes) {
             for (const auto& [name, tensor] : read_pt(file.holding(bytes))) {
               tensor.to(torch::kFloat64).sum();
             }
           }},
          {"legacy_pt",
           {LegacyFile{.dict = state_dict_value()}.bytes()},
           [file = InputFile("input.pth")](const std::string& bytes) {
             if (legacy_form(file.holding(bytes)) != LegacyForm::kPt) return;
             for (const auto& [name, tensor] : read_legacy_pt(file.path())) {
               tensor.to(torch::kFloat64).sum();
             }
           }},
          {"tar",
           {tar_file(ARCHIVE_FILTER_NONE), tar_file(ARCHIVE_FILTER_GZIP)},
           [file = InputFile("input.tar")](const std::string& bytes) {
             read_tar(file.holding(bytes));
           }}};
}

}  // namespace yoke::test
