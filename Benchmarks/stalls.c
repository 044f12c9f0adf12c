// What `scripts/bench --only stalls` changes about larder's surroundings: preloaded into it (ld.so(8), LD_PRELOAD).
//
// - Names below `.invalid` (RFC 6761 §6.4) are looked up by name servers that do not answer: getaddrinfo(3) waits for ten
//   seconds, as glibc does with one dead server (resolv.conf(5): two attempts of five seconds), and says EAI_AGAIN. No
//   packet is sent. The first eight bytes of the file that STALLS_COUNT names count the look-ups that began, the next eight
//   those that ended.
// - The file that STALLS_CA names stands for the system's certificate authorities, so that a certificate of the harness is
//   trusted by larder alone, and verified as any other.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SILENCE_MS = 10000 };

enum { BEGUN, ENDED, COUNTS };

static _Atomic uint64_t *counts;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("STALLS_COUNT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapped = mmap(0, COUNTS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED) counts = mapped;
}

static void add(int place) {
    if (counts) atomic_fetch_add(&counts[place], 1);
}

static void end(void *ignored) {
    (void)ignored;
    add(ENDED);
}

int getaddrinfo(const char *restrict name, const char *restrict service, const struct addrinfo *restrict hints,
                struct addrinfo **restrict result) {
    static const char silent[] = ".invalid";
    size_t length = name ? strlen(name) : 0;
    if (length >= sizeof silent - 1 && !strcmp(name + length - (sizeof silent - 1), silent)) {
        add(BEGUN);
        // Some versions of libcurl cancel the thread of a look-up that they gave up (pthread_cleanup_push(3)).
        pthread_cleanup_push(end, NULL);
        poll(NULL, 0, SILENCE_MS);
        pthread_cleanup_pop(1);
        return EAI_AGAIN;
    }
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
    return real ? real(name, service, hints, result) : EAI_SYSTEM;
}

static FILE *open_authorities(const char *symbol, const char *path, const char *mode) {
    const char *own = getenv("STALLS_CA");
    if (own && path && strstr(path, "/ca-certificates.crt")) path = own;
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, symbol);
    return real ? real(path, mode) : NULL;
}

FILE *fopen(const char *restrict path, const char *restrict mode) { return open_authorities("fopen", path, mode); }

FILE *fopen64(const char *restrict path, const char *restrict mode) { return open_authorities("fopen64", path, mode); }
