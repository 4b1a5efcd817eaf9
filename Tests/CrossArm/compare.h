#pragma once

#include <stddef.h>
#include <stdint.h>

#include "CEmbeddingKernels.h"

// What the comparisons share.

/// What is being compared, for messages.
extern const char *level_name;

/// Counts a comparison and prints one that failed.
void check(int ok, const char *what, size_t size, size_t detail);

int same(const void *a, const void *b, size_t byte_count);

/// The next of a fixed row of random numbers.
uint64_t next(void);

/// A float whose biased exponent lies in low..<low + span.
float any_float(uint32_t low, uint32_t span);

enum { memory_pieces = 16 };

/// `byte_count` bytes that end `gap` bytes before a fence.
void *before(size_t piece, size_t byte_count, size_t gap);

/// Compares the routines on codes.
void compare_codes(const struct ek_code_kernels *scalar, const struct ek_code_kernels *level);

/// Checks the routines on codes that all levels share.
void check_code_helpers(void);
