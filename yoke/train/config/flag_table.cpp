// yoke/train/config/flag_table.cpp: every flag of `yoke train`, in the order of its help.
#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "yoke/data/transforms/mix.h"
#include "yoke/run/flag_names.h"
#include "yoke/train/class_weights.h"
#include "yoke/train/config/flag_kinds.h"

namespace yoke::flag_table {
namespace {

using namespace flag_kinds;
using C = TrainConfig;
using Flags = std::vector<TrainFlag>;

constexpr const char* kTraining = "Training";  // the heading of several

Flags everyday() {
  constexpr const char* kEveryday = "Everyday";
  const std::string epochs_help = fmt::format(
      "Passes over the training images ({} unless --max-steps is given)", kDefaultEpochs);
  const std::string batch_help = fmt::format(
      "Images per optimizer step over all ranks and replicas ({}; of photos fewer), or "
      "from which epoch on, as {}",
      kDefaultBatchSize, kBatchSizes.example);
  return {
      with(kIdentity | kStepCost, text("data", &C::data, "DATASET[:k=v,...]",
                                       "Data set; see 'yoke list datasets'", kEveryday)),
      with(kIdentity | kStepCost,
           text("model", &C::model, "MODEL[:k=v,...]", "Model; see 'yoke list models'", kEveryday)),
      with(kStepResult,
           text("weights", &C::weights, "FILE/NAME[:skip=MODULE]",
                "Begin with these weights: a file, safetensors or .pt, or by name, as imagenet or "
                "resnet50:imagenet, see 'yoke weights list'; a MODULE, as fc, keeps its own",
                kEveryday)),
      count(flag::kEpochs, &C::epochs, 1, epochs_help, kEveryday),
      with(kIdentity | kStepCost | kMeasured,
           sizes(flag::kBatchSize, &C::batch_size, kBatchSizes, batch_help, kEveryday), {"-b"}),
      with(kIdentity | kStepCost, text("optimizer", &C::optimizer, "OPTIMIZER[:k=v,...]",
                                       "Optimizer; see 'yoke list optimizers'", kEveryday)),
      or_resolved(&Resolved::lr,
                  at_least("lr", &C::lr, 0.0, "Base learning rate (the optimizer's own default)",
                           kEveryday)),
      text("schedule", &C::schedule, "SCHEDULE[:k=v,...]",
           "Learning-rate schedule; see 'yoke list schedules'", kEveryday),
      with(kHost | kPlace,
           text(flag::kOut, &C::out, "DIR", "Run directory (runs/<date-time>-<model>-<data>)",
                kEveryday),
           {"-o"}),
      with(kHost | kPlace,
           text(flag::kResume, &C::resume, "auto/PATH",
                "Go on from the newest good checkpoint in --out (auto), or from one of a run or a "
                "checkpoint folder",
                kEveryday)),
  };
}

Flags length_and_parts() {
  return {
      count("max-steps", &C::max_steps, 1, "Optimizer steps at most", kTraining),
      number("target-accuracy", &C::target_accuracy, kAboveZero, 1.0,
             "Stop when this fraction of the validation images is right", kTraining),
      count("patience", &C::patience, 1,
            "Stop after so many evaluations in a row without a better accuracy", kTraining),
      with(kIdentity | kStepCost,
           text("freeze", &C::freeze, "NAME[+NAME]",
                "Modules that do not learn, as conv1+layer1, all-but=fc, or backbone: all but the "
                "last layer",
                kTraining)),
      with(kIdentity | kStepResult,
           text("lr-scale", &C::lr_scale, "NAME[+NAME]=X[,...]",
                "Modules whose learning rate is X times that of others, as backbone=0.1",
                kTraining)),
      with(kIdentity, text("ema", &C::ema, "DECAY[,k=v,...]",
                           "Evaluate and keep a mean of the weights, as 0.999 or equal=on (SWA); "
                           "see 'yoke list ema'",
                           kTraining)),
      with(kIdentity, count(flag::kBatchSizePerRank, &C::batch_size_per_rank, 1,
                            "Instead of --batch-size: images per step and rank", kTraining)),
  };
}

Flags images_and_classes() {
  return {
      with(kIdentity | kStepCost,
           sizes(flag::kImageSize, &C::image_size, kImageSizes,
                 fmt::format("Height and width of images, or of training images from which epoch "
                             "on, as {}; validation images have the last of them",
                             kImageSizes.example),
                 kTraining)),
      with(kStepCost, number("label-smoothing", &C::label_smoothing, 0.0, 1.0,
                             "Share of the target spread evenly over the classes", kTraining)),
      with(kStepCost,
           choice("augment", &C::augment,
                  "How much training images are changed, as suits the data set; its own options, "
                  "--mixup and --cutmix override parts of it",
                  kTraining)),
      with(kStepCost, number("mixup", &C::mixup, 0.0, Mixing::kMost,
                             "Mix training images and their classes by two, by shares drawn from "
                             "Beta(N, N); 0.2 is usual, 0 none",
                             kTraining)),
      with(kStepCost, number("cutmix", &C::cutmix, 0.0, Mixing::kMost,
                             "Likewise put boxes of one image into another; 1 is usual. With both, "
                             "each pair takes one of them",
                             kTraining)),
      with(kStepResult,
           alike_in(class_weights_setting,
                    text(flag::kClassWeights, &C::class_weights, "balanced/FILE",
                         "What classes weigh in the loss: all alike over the training images "
                         "(balanced), or as the lines of a file say, 'NAME NUMBER'",
                         kTraining))),
      with(kStepResult,
           alike_in(class_weights_setting,
                    text(flag::kSampleWeights, &C::sample_weights, "balanced/FILE",
                         "How often images of a class are drawn, not each once an epoch: all "
                         "classes alike, or as the lines of a file say, as of --class-weights",
                         kTraining))),
  };
}

Flags measuring() {
  return {
      interval("eval-every", &C::eval_every,
               "Measure the validation images so often, and at the end", kTraining),
      choice("tta", &C::tta,
             "Test-time augmentation: validation scores are means over the image and its mirror "
             "image (flip), and both moved by a pixel (flip-shift)",
             kTraining),
      with(kIdentity | kStepCost | kMeasured,
           at_least(flag::kSeed, &C::seed, 0, "Decides weights, order, augmentation and dropout",
                    kTraining)),
  };
}

Flags data() {
  constexpr const char* kData = "Data";
  return {
      with(kHost | kStepCost,
           text(flag::kDataDir, &C::data_dir, "DIR", "Where data sets are", kData)),
      with(kHost | kStepCost,
           number(flag::kLoaderThreads, &C::loader_threads, 0, kMostThreads,
                  "Threads that make batches; 0 chooses", kData),
           {"-j", "--workers"}),
  };
}

Flags computing() {
  constexpr const char* kComputing = "Computing";
  return {
      with(kStepCost, choice(flag::kDevice, &C::device, "Where the step is computed", kComputing)),
      with(kStepCost, choice("precision", &C::precision, "Number format of the step", kComputing)),
      with(kStepCost, choice(flag::kEngine, &C::engine, "What computes the step", kComputing)),
      with(
          kHost | kStepCost | kMeasured,
          number(flag::kThreads, &C::threads, 0, kMostThreads,
                 "Threads of the step; 0 is OMP_NUM_THREADS, or one per core allowed", kComputing)),
      with(kHost | kStepCost,
           number(flag::kReplicas, &C::replicas, 0, kMostThreads,
                  "Copies of the step inside the process, a thread each, and a GPU each where it "
                  "runs on GPUs; 0 is one per thread (compiled) or one (eager)",
                  kComputing)),
      with(kStepCost,
           count(flag::kMicroBatch, &C::micro_batch, 0,
                 "Images a replica computes at once, where no batch norm needs all of them; 0 is "
                 "what fits its core's cache",
                 kComputing)),
      with(kStepCost,
           choice(flag::kConvolution, &C::convolution,
                  "How the compiled engine computes convolutions of 3x3 and 5x5 with stride "
                  "1: directly, with a quarter of the products or less, or by count",
                  kComputing)),
      with(kStepResult,
           choice("tf32", &C::tf32,
                  "Which fp32 products GPUs compute in TF32: convolutions (auto, as PyTorch), "
                  "matrix products too, or none",
                  kComputing)),
      with(kStepResult,
           boolean(flag::kCudaGraph, &C::cuda_graph, "on/off",
                   "On a GPU, record forward and backward once and replay them", kComputing)),
      with(kStepCost,
           boolean("deterministic", &C::deterministic, "",
                   "On GPUs, only algorithms whose results never vary; processors have no others",
                   kComputing)),
  };
}

Flags over_ranks() {
  constexpr const char* kParallel = "Over ranks";
  return {
      text(flag::kStrategy, &C::strategy, "STRATEGY[:k=v,...]",
           "How ranks train together; see 'yoke list strategies'", kParallel),
      text(flag::kComm, &C::comm, "auto/COMMUNICATOR",
           "Between ranks; see 'yoke list communicators'", kParallel),
      with(kHost, seconds(flag::kJoinTimeout, &C::join_timeout,
                          "Seconds to wait for all ranks at the start", kParallel)),
      with(kHost,
           seconds(flag::kCommTimeout, &C::comm_timeout,
                   "Seconds that an operation waits for a rank that hangs, before the run fails",
                   kParallel)),
  };
}

Flags checkpoints() {
  constexpr const char* kCheckpoints = "Checkpoints";
  return {
      interval("checkpoint-every", &C::checkpoint_every, "Save all state so often", kCheckpoints),
      count(flag::kKeep, &C::keep, 1, "Newest checkpoints kept", kCheckpoints),
      boolean("keep-best", &C::keep_best, "",
              "Also keep the checkpoint of the best validation accuracy, whose weights are then "
              "the run's",
              kCheckpoints),
  };
}

Flags output() {
  constexpr const char* kOutput = "Output";
  return {
      with(kHost,
           choice(flag::kProgress, &C::progress, "Bars on a terminal, lines elsewhere", kOutput)),
      count(flag::kPrintEvery, &C::print_every, 1, "Steps between two reports", kOutput),
      boolean(flag::kTensorboard, &C::tensorboard, "on/off", "Write TensorBoard events", kOutput),
      boolean(flag::kResources, &C::resources, "on/off",
              "Record processor, memory, disk and network", kOutput),
      steps("profile", &C::profile,
            "Record what each thread does in these steps, counted from 1, as profile.json for "
            "Perfetto and chrome://tracing",
            kOutput),
  };
}

Flags all() {
  Flags flags;
  for (Flags& group :
       std::vector<Flags>{everyday(), length_and_parts(), images_and_classes(), measuring(), data(),
                          computing(), over_ranks(), checkpoints(), output()}) {
    std::move(group.begin(), group.end(), std::back_inserter(flags));
  }
  return flags;
}

}  // namespace
}  // namespace yoke::flag_table

namespace yoke {

const std::vector<TrainFlag>& train_flags() {
  static const std::vector<TrainFlag> flags = flag_table::all();
  return flags;
}

}  // namespace yoke
