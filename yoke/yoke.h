// yoke/yoke.h: what a program that uses the library includes.
//
// train() runs a whole training with a module or data of one's own, also over ranks (train/train.h,
// examples/mnist). DataParallel trains a LibTorch program's own loop over ranks
// (parallel/data_parallel.h, examples/data-parallel). Classifier labels photos
// (classify/classifier.h, examples/classify). write_onnx() and write_torchscript() make files of a
// model that other programs run (export/onnx.h, export/torchscript.h).
#pragma once
#include "yoke/classify/classifier.h"
#include "yoke/comm/factory.h"
#include "yoke/comm/rendezvous/join.h"
#include "yoke/comm/rendezvous/world.h"
#include "yoke/core/error.h"
#include "yoke/core/system/allocator.h"
#include "yoke/core/version.h"
#include "yoke/data/dataset.h"
#include "yoke/engine/eager/eager.h"
#include "yoke/export/onnx.h"
#include "yoke/export/torchscript.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/schedule.h"
#include "yoke/parallel/data_parallel.h"
#include "yoke/parallel/strategy.h"
#include "yoke/train/evaluation/evaluate.h"
#include "yoke/train/train.h"
