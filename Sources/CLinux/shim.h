// What Linux offers and `import Glibc` lacks: epoll, eventfd, timerfd, accept4 and peer credentials.
// `_GNU_SOURCE` is never defined here: it changes types that libcurl's headers also see in one target.
#ifndef LARDER_CLINUX_SHIM_H
#define LARDER_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/un.h>
#include <unistd.h>

// tcmalloc's own functions (gperftools, malloc_extension_c.h). They are null in a build that uses the C library's heap.
extern void MallocExtension_ReleaseFreeMemory(void) __attribute__((weak));
extern int MallocExtension_GetNumericProperty(const char *, size_t *) __attribute__((weak));

// Returns the free memory of the heap to the system.
static inline void larder_trim_heap(void) {
    if (MallocExtension_ReleaseFreeMemory)
        MallocExtension_ReleaseFreeMemory();
    else
        malloc_trim(0);
}

// The cores that the calling thread may use; 0 if the kernel does not tell. The function of the C library needs _GNU_SOURCE.
static inline int larder_usable_cores(void) {
    unsigned long permitted[256] = {0};
    long length = syscall(SYS_sched_getaffinity, 0, sizeof permitted, permitted);
    int cores = 0;
    for (long place = 0; place < length / (long)sizeof *permitted; place++)
        cores += __builtin_popcountl(permitted[place]);
    return cores;
}

// The bytes of the heap that are in use.
static inline size_t larder_heap_used(void) {
    size_t used = 0;
    if (MallocExtension_GetNumericProperty && MallocExtension_GetNumericProperty("generic.current_allocated_bytes", &used))
        return used;
    struct mallinfo2 figures = mallinfo2();
    return figures.uordblks + figures.hblkhd;
}

// A segment of an object file in memory, and such an object (dl_iterate_phdr(3), elf(5)). Declared here because <link.h> has
// the function only under _GNU_SOURCE.
struct larder_segment {
    uint32_t type, flags;
    uint64_t offset, address, physical, file_size, memory_size, alignment;
};
struct larder_object {
    uintptr_t address;
    const char *name;
    const struct larder_segment *segments;
    uint16_t count;
};
extern int larder_iterate_objects(int (*)(struct larder_object *, size_t, void *), void *) __asm__("dl_iterate_phdr");

// Unmaps what the program and its libraries have mapped of their files and never write to: code and constants. A page that
// is used again is mapped again from the page cache of the system.
static inline int larder_forget_object(struct larder_object *object, size_t size, void *unused) {
    const uint32_t loaded = 1, writable = 2;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)size, (void)unused;
    for (int i = 0; i < object->count; i++) {
        const struct larder_segment *segment = object->segments + i;
        if (segment->type != loaded || segment->flags & writable) continue;
        uintptr_t start = object->address + segment->address, end = (start + segment->file_size) & ~(page - 1);
        start = (start + page - 1) & ~(page - 1);
        if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

static inline void larder_forget_code(void) { larder_iterate_objects(larder_forget_object, NULL); }

// EPOLLEXCLUSIVE and friends are enumerators with an expression value; Swift imports none of them as Int32/UInt32.
static const uint32_t larder_EPOLLIN = EPOLLIN;
static const uint32_t larder_EPOLLOUT = EPOLLOUT;
static const uint32_t larder_EPOLLERR = EPOLLERR;
static const uint32_t larder_EPOLLHUP = EPOLLHUP;
static const uint32_t larder_EPOLLRDHUP = EPOLLRDHUP;
static const uint32_t larder_EPOLLET = EPOLLET;
static const uint32_t larder_EPOLLEXCLUSIVE = EPOLLEXCLUSIVE;
static const int larder_EFD_FLAGS = EFD_NONBLOCK | EFD_CLOEXEC;
static const int larder_TFD_FLAGS = TFD_NONBLOCK | TFD_CLOEXEC;
static const int larder_SFD_FLAGS = SFD_NONBLOCK | SFD_CLOEXEC;

// struct epoll_event is packed on x86-64; the data word is set and read through these.
static inline struct epoll_event larder_epoll_event(uint32_t events, uint64_t word) {
    struct epoll_event event;
    event.events = events;
    event.data.u64 = word;
    return event;
}
static inline uint64_t larder_epoll_word(const struct epoll_event *event) { return event->data.u64; }

// accept4 is declared only under _GNU_SOURCE.
static inline int larder_accept4(int fd, struct sockaddr *address, socklen_t *length) {
    return (int)syscall(SYS_accept4, fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

// dup3 likewise: the copy is closed with exec from its first moment.
static inline int larder_dup3(int from, int to) { return (int)syscall(SYS_dup3, from, to, O_CLOEXEC); }

// Reads what the page cache holds and never waits for the disk (preadv2(2), RWF_NOWAIT). Bytes, or the error number below
// zero: EAGAIN where it would have to wait, EOPNOTSUPP where the file system does not know the question.
static inline ssize_t larder_pread_nowait(int fd, void *bytes, size_t count, off_t offset) {
    struct iovec piece = {bytes, count};
    ssize_t got;
    // Two words for the offset, of which a 64-bit kernel reads the first; 8 is RWF_NOWAIT, which old headers lack.
    do got = syscall(SYS_preadv2, fd, &piece, 1, (long)offset, 0L, 8);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

// O_NOATIME is named only under _GNU_SOURCE (open(2)). Reading leaves the time of last access alone: to write it down may wait
// for the disk, also under RWF_NOWAIT. EPERM where the file is another user's.
static const int larder_O_NOATIME = 01000000;

// Opens a file below a directory for reading where its name and all it is about are in memory, so that nothing waits for the
// disk (openat2(2), RESOLVE_CACHED, Linux 5.12). A descriptor, or the error number below zero: EAGAIN where it would have to
// wait, ENOSYS or EINVAL where the kernel does not know the question.
static inline int larder_open_cached(int directory, const char *name) {
    // struct open_how, which old headers lack: flags, mode, how the name is resolved (without links, from the cache).
    // Opening a FIFO would wait for who writes into it.
    uint64_t how[3] = {O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | larder_O_NOATIME, 0, 0x20 | 0x04};
    long opened = syscall(437, directory, name, how, sizeof how);
    return opened < 0 ? -errno : (int)opened;
}

// Whether a file lies in memory alone, so that reading it waits for no disk: tmpfs and ramfs (statfs(2)).
static inline int larder_is_in_memory(int fd) {
    struct statfs system;
    if (fstatfs(fd, &system) != 0) return 0;
    return system.f_type == 0x01021994 || system.f_type == 0x858458f6;
}

// How many bytes of a part of a file are in the page cache (cachestat(2), Linux 6.5), in pages; negative where the kernel does
// not tell.
static inline long larder_cached_pages(int fd, off_t offset, size_t count) {
    uint64_t range[2] = {(uint64_t)offset, count};
    // struct cachestat, which old headers lack: pages in the cache, dirty, written back, evicted, evicted of late.
    uint64_t found[5] = {0};
    return syscall(451, fd, range, found, 0) == 0 ? (long)found[0] : -1;
}

// Bytes, or the error number below zero. Its header would bring a `struct stat` of this module's own along.
static inline ssize_t larder_sendfile(int socket, int file, off_t *offset, size_t count) {
    ssize_t sent = syscall(SYS_sendfile, socket, file, offset, count);
    return sent < 0 ? -errno : sent;
}

// struct ucred is declared only under _GNU_SOURCE; this is its layout (unix(7)).
struct larder_ucred {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};
static const int larder_SO_PEERCRED = 17;

static inline int larder_set_thread_name(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// The SIG_* and RLIMIT_* names are macros with casts or enums with surprising types.
static inline void larder_ignore_signal(int number) {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = SIG_IGN;
    sigaction(number, &action, 0);
}
static inline int larder_get_nofile(struct rlimit *limit) { return getrlimit(RLIMIT_NOFILE, limit); }
static inline int larder_set_nofile(const struct rlimit *limit) { return setrlimit(RLIMIT_NOFILE, limit); }

#endif
