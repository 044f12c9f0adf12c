// The origin of the workloads: a body for every name, made from the name alone, so that a load can check every byte and
// no file is needed.
//
//   origin [FILE]    FILE is what /search answers with, whatever its query
//
//   /image/SIZE/ID   SIZE bytes that no coding makes smaller, different for each ID; max-age=3600 and an ETag
//   /json/SIZE/ID    the same in characters as JSON has them (it is no JSON: caches do not look inside)
//   /slow/SIZE/ID    like /image, 300 ms after the request
//   /private/SIZE/ID like /image, with no-store
//   /count           how many of the above were asked for since the start, in digits
//
// Byte i of a body is pool[(ID * 7919 + SIZE + i) mod 2^20]; the pool is xorshift64 (Sources/LarderBenchmarks/Pool.swift
// makes the same). A body of any size is sent from the pool without being made, so memory does not grow with it.
// It listens on a free port of 127.0.0.1 and prints `listening 127.0.0.1:PORT`. One thread, one epoll loop.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { POOL = 1 << 20, MAX_EVENTS = 256, IN_SIZE = 8192, HEAD_SIZE = 512, WAIT_MS = 300 };

struct connection {
    int fd;
    int waits_for_room;
    int is_late;
    int is_closed;
    size_t have;
    // What is left to send: of the head, then of the body.
    size_t head_sent, head_length;
    const unsigned char *source;
    size_t source_size;
    uint64_t place, left;
    int64_t due;
    struct connection *next_late;
    char head[HEAD_SIZE];
    char in[IN_SIZE];
};

// Twice, so that a piece may run over the end.
static unsigned char pools[2][2 * POOL];
static unsigned char *page;
static size_t page_length;
static uint64_t requests;
static int epoll_fd;
static struct connection *first_late, *last_late;

static void die(const char *what) {
    fprintf(stderr, "origin: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void fill_pools(void) {
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _";
    uint64_t state = 0x9E3779B97F4A7C15;
    for (size_t i = 0; i < POOL; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        pools[0][i] = pools[0][i + POOL] = (unsigned char)(state >> 32);
        pools[1][i] = pools[1][i + POOL] = (unsigned char)alphabet[(state >> 32) & 63];
    }
}

static void load_page(const char *file) {
    FILE *in = fopen(file, "rb");
    if (!in || fseek(in, 0, SEEK_END)) die(file);
    page_length = (size_t)ftell(in);
    rewind(in);
    page = malloc(page_length + 1);
    if (!page || fread(page, 1, page_length, in) != page_length) die(file);
    fclose(in);
}

static void set_head(struct connection *c, const char *status, const char *type, const char *caching, uint64_t size,
                     const char *tag) {
    char date[64];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    c->head_sent = 0;
    c->head_length = (size_t)snprintf(c->head, HEAD_SIZE,
                                      "HTTP/1.1 %s\r\nServer: origin\r\nDate: %s\r\nContent-Type: %s\r\n"
                                      "Content-Length: %llu\r\nCache-Control: %s\r\n%s%s%s\r\n",
                                      status, date, type, (unsigned long long)size, caching, *tag ? "ETag: \"" : "",
                                      tag, *tag ? "\"\r\n" : "");
    c->left = size;
}

// Prepares the answer to the request at the beginning of the buffer.
static void prepare(struct connection *c) {
    char kind[16], line[512];
    unsigned long long size, id;
    size_t length = 0;
    while (length + 1 < sizeof line && c->in[length] != '\r') {
        line[length] = c->in[length];
        length++;
    }
    line[length] = 0;
    c->is_late = 0;
    if (!strncmp(line, "GET /count", 10)) {
        static unsigned char digits[32];
        c->source = digits;
        c->place = 0;
        c->source_size = (size_t)snprintf((char *)digits, sizeof digits, "%llu", (unsigned long long)requests);
        set_head(c, "200 OK", "text/plain", "no-store", c->source_size, "");
        return;
    }
    requests++;
    if (page && !strncmp(line, "GET /search", 11)) {
        c->source = page;
        c->place = 0;
        c->source_size = page_length;
        set_head(c, "200 OK", "text/javascript; charset=utf-8", "max-age=3600", page_length, "");
    } else if (sscanf(line, "GET /%15[a-z]/%llu/%llu", kind, &size, &id) == 3) {
        int is_text = !strcmp(kind, "json");
        char tag[64];
        snprintf(tag, sizeof tag, "%s-%llu-%llu", kind, size, id);
        c->source = pools[is_text];
        c->source_size = 0;
        c->place = (id * 7919 + size) % POOL;
        c->is_late = !strcmp(kind, "slow");
        set_head(c, "200 OK", is_text ? "application/json" : "image/jpeg",
                 strcmp(kind, "private") ? "max-age=3600" : "no-store", size, tag);
    } else {
        set_head(c, "404 Not Found", "text/plain", "no-store", 0, "");
    }
}

static void end_connection(struct connection *c) {
    if (c->is_closed) return;
    close(c->fd);
    c->is_closed = 1;
    // One that waits for its time is freed when the time has come.
    if (!c->is_late) free(c);
}

static void watch(struct connection *c, int waits_for_room) {
    if (c->waits_for_room == waits_for_room) return;
    c->waits_for_room = waits_for_room;
    struct epoll_event event = {.events = waits_for_room ? EPOLLOUT : EPOLLIN, .data.ptr = c};
    epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &event);
}

// 1: all sent, 0: the socket is full, -1: the connection is gone.
static int flush_answer(struct connection *c) {
    while (c->head_sent < c->head_length || c->left) {
        struct iovec parts[2];
        int count = 0;
        if (c->head_sent < c->head_length)
            parts[count++] = (struct iovec){c->head + c->head_sent, c->head_length - c->head_sent};
        if (c->left) {
            size_t piece = c->source_size ? c->source_size - c->place : 2 * POOL - c->place;
            parts[count++] = (struct iovec){(void *)(c->source + c->place), piece < c->left ? piece : c->left};
        }
        ssize_t written = writev(c->fd, parts, count);
        if (written < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
        size_t of_head = c->head_length - c->head_sent;
        if (of_head > (size_t)written) of_head = (size_t)written;
        c->head_sent += of_head;
        uint64_t of_body = (uint64_t)written - of_head;
        c->left -= of_body;
        c->place += of_body;
        if (!c->source_size) c->place %= POOL;
    }
    c->head_length = c->head_sent = 0;
    return 1;
}

static void answer_all(struct connection *c) {
    for (;;) {
        if (c->is_late) return;
        if (c->head_length) {
            int state = flush_answer(c);
            if (state < 0) {
                end_connection(c);
                return;
            }
            watch(c, state == 0);
            if (state == 0) return;
        }
        char *end = memmem(c->in, c->have, "\r\n\r\n", 4);
        if (!end) {
            if (c->have == IN_SIZE) end_connection(c);
            return;
        }
        prepare(c);
        size_t used = (size_t)(end + 4 - c->in);
        c->have -= used;
        if (c->have) memmove(c->in, c->in + used, c->have);
        if (c->is_late) {
            c->due = milliseconds() + WAIT_MS;
            c->next_late = NULL;
            if (last_late)
                last_late->next_late = c;
            else
                first_late = c;
            last_late = c;
        }
    }
}

// All wait equally long, so the first to come is the first to go.
static int answer_late(void) {
    int64_t now = milliseconds();
    while (first_late && first_late->due <= now) {
        struct connection *c = first_late;
        first_late = c->next_late;
        if (!first_late) last_late = NULL;
        c->is_late = 0;
        if (c->is_closed)
            free(c);
        else
            answer_all(c);
    }
    return first_late ? (int)(first_late->due - now) : -1;
}

static void ready(struct connection *c) {
    if (!c->waits_for_room) {
        ssize_t got = recv(c->fd, c->in + c->have, IN_SIZE - c->have, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) {
            end_connection(c);
            return;
        }
        c->have += (size_t)got;
    }
    answer_all(c);
}

static void accept_all(int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *c = calloc(1, sizeof *c);
        if (!c) {
            close(fd);
            return;
        }
        c->fd = fd;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event)) end_connection(c);
    }
}

int main(int count, char **arguments) {
    signal(SIGPIPE, SIG_IGN);
    fill_pools();
    if (count > 1) load_page(arguments[1]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024) ||
        getsockname(listener, (struct sockaddr *)&address, &length))
        die("listen");
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, listener, &event)) die("epoll");
    printf("listening 127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);

    struct epoll_event events[MAX_EVENTS];
    for (;;) {
        int ready_count = epoll_wait(epoll_fd, events, MAX_EVENTS, answer_late());
        if (ready_count < 0 && errno != EINTR) die("epoll_wait");
        for (int i = 0; i < ready_count; i++) {
            if (events[i].data.ptr)
                ready(events[i].data.ptr);
            else
                accept_all(listener);
        }
    }
}
