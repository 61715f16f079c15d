// examples/classify/main.cpp: a trained model inside a program of one's own.
//
//   classify MODEL PHOTO...    MODEL is a model.safetensors or a run directory of `yoke train`
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "yoke/yoke.h"

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::cerr << "usage: classify MODEL PHOTO...\n";
    return 2;
  }
  const yoke::Classifier classifier(argv[1]);
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    std::cout << argv[i];
    for (const auto& label : classifier.classify(bytes, 3)) {
      std::cout << "  " << label.name << ' ' << label.probability;
    }
    std::cout << '\n';
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
