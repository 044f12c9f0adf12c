// The ceiling of the benchmark: one epoll loop that writes constant answers with recv and writev, and decides nothing.
//
//   bareloop DIRECTORY            the ceiling: every answer is made before the first request comes
//   bareloop --origin DIRECTORY   the origin behind the caches: the same bodies, with a current Date and nothing to age
//
// DIRECTORY holds one file for each path it answers (/1k, /10k, /100k); a query is ignored, another path is 404.
// It listens on a free port of 127.0.0.1 and prints `listening 127.0.0.1:PORT`. One thread, as its peers have one worker.
// The head is about 300 bytes, the size of what the caches beside it send, so the kernel copies the same amount.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ANSWERS = 16, MAX_EVENTS = 256, IN_SIZE = 8192, HEAD_SIZE = 1024 };

struct answer {
    char path[64];
    size_t path_length;
    char head[HEAD_SIZE];
    size_t head_length;
    char *body;
    size_t body_length;
};

// A connection answers one request at a time: what came behind it stays in the buffer until the answer is written.
struct connection {
    int fd;
    int waits_for_room;
    size_t have;
    const struct answer *current;
    size_t sent;
    char origin_head[HEAD_SIZE];
    size_t origin_head_length;
    char in[IN_SIZE];
};

static struct answer answers[MAX_ANSWERS];
static size_t answer_count;
static struct answer not_found;
static int is_origin;
static int epoll_fd;

static void die(const char *what) {
    fprintf(stderr, "bareloop: %s: %s\n", what, strerror(errno));
    exit(1);
}

static size_t write_head(char *out, const struct answer *answer) {
    char date[64];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    int length = snprintf(out, HEAD_SIZE,
                          "HTTP/1.1 200 OK\r\n"
                          "Server: bareloop\r\n"
                          "Date: %s\r\n"
                          "Content-Type: application/octet-stream\r\n"
                          "Content-Length: %zu\r\n"
                          "Cache-Control: max-age=3600\r\n"
                          "ETag: \"bench-%zu\"\r\n"
                          "%s\r\n",
                          date, answer->body_length, answer->body_length,
                          is_origin ? ""
                                    : "Age: 12\r\n"
                                      "Cache-Status: bareloop; hit; ttl=3588\r\n"
                                      "X-Request-Id: 0123456789abcdef\r\n");
    return (size_t)length;
}

static void load_answers(const char *directory) {
    DIR *entries = opendir(directory);
    if (!entries) die(directory);
    for (struct dirent *entry; (entry = readdir(entries)) && answer_count < MAX_ANSWERS;) {
        if (entry->d_name[0] == '.') continue;
        char file[512];
        snprintf(file, sizeof file, "%s/%s", directory, entry->d_name);
        struct stat status;
        if (stat(file, &status) || !S_ISREG(status.st_mode)) continue;
        struct answer *answer = &answers[answer_count++];
        answer->path_length = (size_t)snprintf(answer->path, sizeof answer->path, "/%.60s", entry->d_name);
        answer->body_length = (size_t)status.st_size;
        answer->body = malloc(answer->body_length + 1);
        FILE *in = fopen(file, "rb");
        if (!answer->body || !in || fread(answer->body, 1, answer->body_length, in) != answer->body_length) die(file);
        fclose(in);
        answer->head_length = write_head(answer->head, answer);
    }
    closedir(entries);
    not_found.head_length = (size_t)snprintf(not_found.head, HEAD_SIZE,
                                             "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    not_found.body = "";
}

// The answer to a request line that begins "GET /path"; a path ends at a space or a query.
static const struct answer *find(const char *request, size_t length) {
    if (length < 5 || memcmp(request, "GET ", 4)) return &not_found;
    for (size_t i = 0; i < answer_count; i++) {
        const struct answer *answer = &answers[i];
        if (length > 4 + answer->path_length && !memcmp(request + 4, answer->path, answer->path_length) &&
            (request[4 + answer->path_length] == ' ' || request[4 + answer->path_length] == '?'))
            return answer;
    }
    return &not_found;
}

static void close_connection(struct connection *connection) {
    close(connection->fd);
    free(connection);
}

// Writes what is left of the current answer. 1: all written, 0: the socket is full, -1: the connection is gone.
static int flush_answer(struct connection *connection) {
    const struct answer *answer = connection->current;
    const char *head = is_origin && answer != &not_found ? connection->origin_head : answer->head;
    size_t head_length = is_origin && answer != &not_found ? connection->origin_head_length : answer->head_length;
    size_t total = head_length + answer->body_length;
    while (connection->sent < total) {
        struct iovec parts[2];
        int count = 0;
        if (connection->sent < head_length) {
            parts[count++] = (struct iovec){(char *)head + connection->sent, head_length - connection->sent};
            parts[count++] = (struct iovec){answer->body, answer->body_length};
        } else {
            size_t offset = connection->sent - head_length;
            parts[count++] = (struct iovec){answer->body + offset, answer->body_length - offset};
        }
        ssize_t written = writev(connection->fd, parts, count);
        if (written < 0) return errno == EAGAIN ? 0 : errno == EINTR ? 0 : -1;
        connection->sent += (size_t)written;
    }
    connection->current = NULL;
    return 1;
}

static void watch(struct connection *connection, int waits_for_room) {
    if (connection->waits_for_room == waits_for_room) return;
    connection->waits_for_room = waits_for_room;
    struct epoll_event event = {.events = waits_for_room ? EPOLLOUT : EPOLLIN, .data.ptr = connection};
    epoll_ctl(epoll_fd, EPOLL_CTL_MOD, connection->fd, &event);
}

// Answers every whole request in the buffer. 0 keeps the connection, -1 means that it is to be closed.
static int answer_all(struct connection *connection) {
    for (;;) {
        if (connection->current) {
            int state = flush_answer(connection);
            if (state < 0) return -1;
            watch(connection, state == 0);
            if (state == 0) return 0;
        }
        char *end = memmem(connection->in, connection->have, "\r\n\r\n", 4);
        if (!end) return connection->have == IN_SIZE ? -1 : 0;
        size_t used = (size_t)(end + 4 - connection->in);
        connection->current = find(connection->in, used);
        connection->sent = 0;
        if (is_origin && connection->current != &not_found)
            connection->origin_head_length = write_head(connection->origin_head, connection->current);
        connection->have -= used;
        if (connection->have) memmove(connection->in, connection->in + used, connection->have);
    }
}

static void ready(struct connection *connection) {
    if (!connection->waits_for_room) {
        ssize_t got = recv(connection->fd, connection->in + connection->have, IN_SIZE - connection->have, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) {
            close_connection(connection);
            return;
        }
        connection->have += (size_t)got;
    }
    if (answer_all(connection) < 0) close_connection(connection);
}

static void accept_all(int listener) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *connection = calloc(1, sizeof *connection);
        if (!connection) {
            close(fd);
            return;
        }
        connection->fd = fd;
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
        if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event)) close_connection(connection);
    }
}

int main(int count, char **arguments) {
    is_origin = count == 3 && !strcmp(arguments[1], "--origin");
    if (count != 2 + is_origin) {
        fprintf(stderr, "usage: bareloop [--origin] DIRECTORY\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    load_answers(arguments[count - 1]);

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

    for (struct epoll_event events[MAX_EVENTS];;) {
        int ready_count = epoll_wait(epoll_fd, events, MAX_EVENTS, -1);
        if (ready_count < 0 && errno != EINTR) die("epoll_wait");
        for (int i = 0; i < ready_count; i++) {
            if (events[i].data.ptr)
                ready(events[i].data.ptr);
            else
                accept_all(listener);
        }
    }
}
