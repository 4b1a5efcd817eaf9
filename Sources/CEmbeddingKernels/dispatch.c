#include "CEmbeddingKernels.h"
