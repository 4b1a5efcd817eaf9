// What the file layer needs from C: system calls that Swift cannot make portably, and CRC32C.
//
// Calls that can fail return a negative `errno`; none of them retries.

#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Error numbers, under names that are the same on every platform

enum {
  EF_EACCES = EACCES,
  EF_EAGAIN = EAGAIN,
  EF_EBADF = EBADF,
  EF_EDQUOT = EDQUOT,
  EF_EEXIST = EEXIST,
  EF_EFBIG = EFBIG,
  EF_EINTR = EINTR,
  EF_EINVAL = EINVAL,
  EF_EIO = EIO,
  EF_EISDIR = EISDIR,
  EF_ENAMETOOLONG = ENAMETOOLONG,
  EF_ENODEV = ENODEV,
  EF_ENOENT = ENOENT,
  EF_ENOMEM = ENOMEM,
  EF_ENOSPC = ENOSPC,
  EF_ENOSYS = ENOSYS,
  EF_ENOTDIR = ENOTDIR,
  EF_ENOTEMPTY = ENOTEMPTY,
  EF_ENOTSUP = ENOTSUP,
  EF_ENXIO = ENXIO,
  EF_EPERM = EPERM,
  EF_EROFS = EROFS,
  EF_EWOULDBLOCK = EWOULDBLOCK,
};

/// Writes the system's text for `error` into `text`, always terminated.
void ef_error_text(int error, char *text, size_t capacity);

/// Sleeps the calling thread, through interruptions.
void ef_sleep(uint64_t nanoseconds);

// MARK: Descriptors

typedef enum ef_access {
  EF_ACCESS_READ,
  EF_ACCESS_READ_WRITE,
  /// Read and write; the file must not exist. It gets protection class C on Apple platforms.
  EF_ACCESS_CREATE,
  /// A directory, for syncing or listing it.
  EF_ACCESS_DIRECTORY,
} ef_access;

typedef enum ef_kind { EF_KIND_REGULAR, EF_KIND_DIRECTORY, EF_KIND_OTHER } ef_kind;

typedef struct ef_attributes {
  ef_kind kind;
  uint64_t byte_count;
  uint64_t device;
  uint64_t inode;
  uint64_t link_count;
  int64_t modified_nanoseconds;
} ef_attributes;

/// Opens close-on-exec, without waiting for a peer, and never as descriptor 0, 1 or 2.
int ef_open(const char *path, ef_access access);

/// Moves a descriptor below 3 out of the way; gives others back unchanged. Closes on failure.
int ef_raise_descriptor(int descriptor);

/// Closes. An interrupted close counts as done: the descriptor is gone.
int ef_close(int descriptor);

int ef_descriptor_attributes(int descriptor, ef_attributes *attributes);
int ef_path_attributes(const char *path, ef_attributes *attributes);

/// At most 1 GiB per call.
int64_t ef_read(int descriptor, void *bytes, size_t byte_count, uint64_t offset);
int64_t ef_write(int descriptor, const void *bytes, size_t byte_count, uint64_t offset);
int ef_truncate(int descriptor, uint64_t byte_count);

/// Orders everything written before everything written later.
int ef_sync_barrier(int descriptor);
/// Puts a file's bytes and size on the medium.
int ef_sync_full(int descriptor);
/// Puts a directory's entries on the medium.
int ef_sync_directory(int descriptor);

/// 1 when the lock is held now, 0 when another open file has it.
int ef_try_lock(int descriptor);
int ef_unlock(int descriptor);

// MARK: Names

/// Creates a directory, with protection class C on Apple platforms.
int ef_create_directory(const char *path);
int ef_rename(const char *source, const char *destination);
/// Renames to a name that nothing has; -EEXIST when something has it, also a link that leads nowhere.
int ef_rename_to_free_name(const char *source, const char *destination);
/// Lets two names change places in one step; -EINVAL, -ENOSYS or -ENOTSUP where the volume can not.
int ef_exchange(const char *first, const char *second);
int ef_unlink(const char *path);
int ef_available_byte_count(const char *directory, uint64_t *byte_count);

/// Starts listing; takes the descriptor over, also on failure. NULL with `*error` set on failure.
void *ef_list_start(int descriptor, int *error);
/// 1 with the next name, valid until the next call; 0 at the end.
int ef_list_next(void *listing, const char **name);
void ef_list_end(void *listing);

// MARK: Mapping

/// Maps the first bytes of a file, shared and read-only. NULL with `*error` set on failure.
void *ef_map(int descriptor, size_t byte_count, int *error);
void ef_unmap(const void *base, size_t byte_count);

// MARK: Process

int64_t ef_process_identifier(void);
/// Nanoseconds since 1970.
int64_t ef_wall_clock_nanoseconds(void);

// MARK: CRC32C

/// Continues the CRC32C `crc` (0 at the start) over `byte_count` bytes, as fast as the CPU can.
///
/// The environment variable EMBEDDING_KERNEL_LEVEL=scalar forces the table.
uint32_t ef_crc32c(uint32_t crc, const void *bytes, size_t byte_count);

typedef enum ef_crc32c_level {
  EF_CRC32C_TABLE,
  /// SSE4.2 or the Armv8 CRC extension.
  EF_CRC32C_HARDWARE,
} ef_crc32c_level;

bool ef_crc32c_is_available(ef_crc32c_level level);
/// The level that `ef_crc32c` uses in this process.
ef_crc32c_level ef_crc32c_selected(void);
/// As `ef_crc32c`, at a level that must be available.
uint32_t ef_crc32c_at(
  ef_crc32c_level level, uint32_t crc, const void *bytes, size_t byte_count);

#ifdef __cplusplus
}
#endif
