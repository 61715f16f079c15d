// yoke/models/vgg16.cpp: the 16-layer plain network with batch norm.
#include "yoke/models/vgg.h"

namespace yoke {

ModelPlugin vgg16_model() { return vgg_plugin({2, 2, 3, 3, 3}); }

}  // namespace yoke
