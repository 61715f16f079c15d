// yoke/models/vgg11.cpp: the 11-layer plain network with batch norm.
#include "yoke/models/vgg.h"

namespace yoke {

ModelPlugin vgg11_model() { return vgg_plugin({1, 1, 2, 2, 2}); }

}  // namespace yoke
