// System calls for the file layer. The only file here that knows operating systems apart.

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CEmbeddingFiles.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <sys/mount.h>
#include <sys/param.h>
#else
#include <sys/statvfs.h>
#include <sys/syscall.h>
#endif

static int failure(void) {
  return -errno;
}

static int result(int status) {
  return status < 0 ? failure() : status;
}

void ef_error_text(int error, char *text, size_t capacity) {
  if (capacity == 0) {
    return;
  }
  text[0] = '\0';
#if defined(__GLIBC__)
  // The GNU form gives a text back and may leave the buffer alone.
  const char *found = strerror_r(error, text, capacity);
  if (found != text) {
    snprintf(text, capacity, "%s", found);
  }
#else
  if (strerror_r(error, text, capacity) != 0) {
    snprintf(text, capacity, "error %d", error);
  }
#endif
}

// MARK: Opening and closing

/// Class C, "complete until first user authentication": files stay readable while the device is
/// locked, so that a mapping does not fault. It is the system's default, but an app can ask for
/// the stricter class A for all its files.
///
/// Failure is not an error: volumes without data protection (a Mac, a simulator, an external
/// disk) refuse in several ways, and nothing about the bytes depends on it.
static void set_protection_class(int descriptor) {
#if defined(__APPLE__)
  enum { complete_until_first_user_authentication = 3 };
  (void)fcntl(descriptor, F_SETPROTECTIONCLASS, complete_until_first_user_authentication);
#else
  (void)descriptor;
#endif
}

/// Output that some library prints to descriptor 1 or 2 must never land in a store.
int ef_raise_descriptor(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) {
    return descriptor;
  }
  int raised = result(fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  (void)close(descriptor);
  return raised;
}

int ef_open(const char *path, ef_access access) {
  // O_NONBLOCK: opening a FIFO must not wait for its other end. It has no effect on files.
  int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  switch (access) {
    case EF_ACCESS_READ: flags |= O_RDONLY; break;
    case EF_ACCESS_READ_WRITE: flags |= O_RDWR; break;
    case EF_ACCESS_CREATE: flags |= O_RDWR | O_CREAT | O_EXCL; break;
    case EF_ACCESS_DIRECTORY: flags |= O_RDONLY | O_DIRECTORY; break;
  }
  int descriptor = ef_raise_descriptor(result(open(path, flags, 0644)));
  if (descriptor >= 0 && access == EF_ACCESS_CREATE) {
    set_protection_class(descriptor);
  }
  return descriptor;
}

int ef_close(int descriptor) {
  if (close(descriptor) == 0 || errno == EINTR) {
    return 0;
  }
  return failure();
}

// MARK: Attributes

static int attributes_from(int status, const struct stat *source, ef_attributes *attributes) {
  if (status != 0) {
    return failure();
  }
  if (S_ISREG(source->st_mode)) {
    attributes->kind = EF_KIND_REGULAR;
  } else if (S_ISDIR(source->st_mode)) {
    attributes->kind = EF_KIND_DIRECTORY;
  } else {
    attributes->kind = EF_KIND_OTHER;
  }
#if defined(__APPLE__)
  const struct timespec modified = source->st_mtimespec;
#else
  const struct timespec modified = source->st_mtim;
#endif
  attributes->byte_count = source->st_size < 0 ? 0 : (uint64_t)source->st_size;
  attributes->device = (uint64_t)source->st_dev;
  attributes->inode = (uint64_t)source->st_ino;
  attributes->link_count = (uint64_t)source->st_nlink;
  // A damaged inode can carry any time; wrap rather than overflow.
  attributes->modified_nanoseconds =
    (int64_t)((uint64_t)modified.tv_sec * 1000000000u + (uint64_t)modified.tv_nsec);
  return 0;
}

int ef_descriptor_attributes(int descriptor, ef_attributes *attributes) {
  struct stat source;
  return attributes_from(fstat(descriptor, &source), &source, attributes);
}

int ef_path_attributes(const char *path, ef_attributes *attributes) {
  struct stat source;
  return attributes_from(stat(path, &source), &source, attributes);
}

// MARK: Bytes

_Static_assert(sizeof(off_t) == 8, "files are larger than 2 GiB");

static size_t capped(size_t byte_count) {
  // Apple refuses more than INT_MAX bytes, Linux cuts at 2 GiB less a page.
  const size_t most = (size_t)1 << 30;
  return byte_count < most ? byte_count : most;
}

int64_t ef_read(int descriptor, void *bytes, size_t byte_count, uint64_t offset) {
  if (offset > INT64_MAX) {
    return 0;
  }
  const ssize_t count = pread(descriptor, bytes, capped(byte_count), (off_t)offset);
  return count < 0 ? failure() : count;
}

int64_t ef_write(int descriptor, const void *bytes, size_t byte_count, uint64_t offset) {
  if (offset > INT64_MAX) {
    return -EFBIG;
  }
  const ssize_t count = pwrite(descriptor, bytes, capped(byte_count), (off_t)offset);
  return count < 0 ? failure() : count;
}

int ef_truncate(int descriptor, uint64_t byte_count) {
  if (byte_count > INT64_MAX) {
    return -EFBIG;
  }
  return result(ftruncate(descriptor, (off_t)byte_count));
}

// MARK: Sync

#if defined(__APPLE__)
/// fsync alone leaves the bytes in the drive's cache, where power loss can lose or reorder them.
/// Only a file system that does not know the command may be answered with less: falling back on
/// any other error would turn a lost write into a success.
static int sync_or_fall_back(int descriptor, int command) {
  if (fcntl(descriptor, command) != -1) {
    return 0;
  }
  if (errno == ENOTSUP || errno == EINVAL || errno == ENOTTY) {
    return result(fsync(descriptor));
  }
  return failure();
}
#endif

int ef_sync_full(int descriptor) {
#if defined(__APPLE__)
  return sync_or_fall_back(descriptor, F_FULLFSYNC);
#else
  // fdatasync also flushes the size and where the blocks are: all that reading the bytes back
  // takes. It leaves out times and modes, which nothing here depends on after a crash, and saves
  // the second journal commit of fsync. A new file's name is the business of its directory.
  return result(fdatasync(descriptor));
#endif
}

int ef_sync_barrier(int descriptor) {
#if defined(__APPLE__)
  return sync_or_fall_back(descriptor, F_BARRIERFSYNC);
#else
  // Linux offers no weaker call that orders writes.
  return result(fdatasync(descriptor));
#endif
}

int ef_sync_directory(int descriptor) {
#if defined(__APPLE__)
  return sync_or_fall_back(descriptor, F_FULLFSYNC);
#else
  // Entries are metadata through and through, so not fdatasync.
  return result(fsync(descriptor));
#endif
}

// MARK: Locks

int ef_try_lock(int descriptor) {
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    return 1;
  }
  return errno == EWOULDBLOCK ? 0 : failure();
}

int ef_unlock(int descriptor) {
  return result(flock(descriptor, LOCK_UN));
}

// MARK: Names

int ef_create_directory(const char *path) {
  if (mkdir(path, 0755) != 0) {
    return failure();
  }
#if defined(__APPLE__)
  const int descriptor = ef_open(path, EF_ACCESS_DIRECTORY);
  if (descriptor >= 0) {
    set_protection_class(descriptor);
    (void)close(descriptor);
  }
#endif
  return 0;
}

int ef_rename(const char *source, const char *destination) {
  return result(rename(source, destination));
}

int ef_rename_to_free_name(const char *source, const char *destination) {
#if defined(__APPLE__)
  const int status = result(renamex_np(source, destination, RENAME_EXCL));
#else
  // By number, as below.
  const unsigned no_replace = 1 << 0;  // RENAME_NOREPLACE
  const int status =
      result((int)syscall(SYS_renameat2, AT_FDCWD, source, AT_FDCWD, destination, no_replace));
#endif
  if (status != -EINVAL && status != -ENOSYS && status != -ENOTSUP) {
    return status;
  }
  // A volume that can not do it in one step. What appears between the two is replaced.
  struct stat there;
  if (lstat(destination, &there) == 0) {
    return -EEXIST;
  }
  return errno == ENOENT ? ef_rename(source, destination) : failure();
}

int ef_exchange(const char *first, const char *second) {
#if defined(__APPLE__)
  return result(renamex_np(first, second, RENAME_SWAP));
#else
  // By number: not every C library has renameat2, and the kernel has had it since 3.15.
  const unsigned exchange = 1 << 1;  // RENAME_EXCHANGE
  return result((int)syscall(SYS_renameat2, AT_FDCWD, first, AT_FDCWD, second, exchange));
#endif
}

int ef_unlink(const char *path) {
  return result(unlink(path));
}

int ef_available_byte_count(const char *directory, uint64_t *byte_count) {
#if defined(__APPLE__)
  // statvfs counts blocks in 32 bits here.
  struct statfs space;
  if (statfs(directory, &space) != 0) {
    return failure();
  }
  const uint64_t block = (uint64_t)space.f_bsize;
#else
  struct statvfs space;
  if (statvfs(directory, &space) != 0) {
    return failure();
  }
  const uint64_t block = (uint64_t)space.f_frsize;
#endif
  if (__builtin_mul_overflow((uint64_t)space.f_bavail, block, byte_count)) {
    *byte_count = UINT64_MAX;
  }
  return 0;
}

void *ef_list_start(int descriptor, int *error) {
  DIR *listing = fdopendir(descriptor);
  if (listing == NULL) {
    *error = errno;
    (void)close(descriptor);
  }
  return listing;
}

int ef_list_next(void *listing, const char **name) {
  errno = 0;
  const struct dirent *entry = readdir(listing);
  if (entry == NULL) {
    return failure();
  }
  *name = entry->d_name;
  return 1;
}

void ef_list_end(void *listing) {
  (void)closedir(listing);
}

// MARK: Mapping

void *ef_map(int descriptor, size_t byte_count, int *error) {
  void *base = mmap(NULL, byte_count, PROT_READ, MAP_SHARED, descriptor, 0);
  if (base == MAP_FAILED) {
    *error = errno;
    return NULL;
  }
  return base;
}

void ef_unmap(const void *base, size_t byte_count) {
  if (base != NULL) {
    (void)munmap((void *)base, byte_count);
  }
}

// MARK: Process

int64_t ef_process_identifier(void) {
  return (int64_t)getpid();
}

int64_t ef_wall_clock_nanoseconds(void) {
  struct timespec now = {0, 0};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}
