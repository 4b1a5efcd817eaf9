#pragma once

#include <stddef.h>

// Blocks of memory that go back to the system as soon as they are freed. General allocators keep
// large blocks for later, one pool for each thread, so that work on whole stores would leave a
// process larger than it has to be.

/// A block of exactly `byte_count` bytes on a cache line boundary, or NULL.
void *em_allocate(size_t byte_count);

/// The same, zeroed; costs nothing until touched when large.
void *em_allocate_zeroed(size_t byte_count);

/// The same as `em_allocate`, but ends the process where there is no memory, as Swift's own
/// allocations do.
void *em_take(size_t byte_count);

/// Frees a block of `byte_count` bytes from above; NULL does nothing.
void em_free(const void *base, size_t byte_count);
