// yoke/yoke.h: what a program that uses the library includes.
#pragma once
#include "yoke/comm/factory.h"
#include "yoke/core/allocator.h"
#include "yoke/core/error.h"
#include "yoke/core/version.h"
#include "yoke/data/dataset.h"
#include "yoke/engine/eager.h"
#include "yoke/models/model.h"
#include "yoke/optim/optimizer.h"
#include "yoke/optim/schedule.h"
#include "yoke/parallel/strategy.h"
#include "yoke/train/evaluate.h"
#include "yoke/train/train.h"
