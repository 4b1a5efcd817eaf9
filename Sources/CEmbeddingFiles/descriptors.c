#include "CEmbeddingFiles.h"
