// hiredis: its formatter of commands and its reader of replies. Its connections are not used; sockets and waits are ours.
#ifndef LARDER_CHIREDIS_SHIM_H
#define LARDER_CHIREDIS_SHIM_H

#include <hiredis/hiredis.h>
#include <stddef.h>

// hiredis believes the length that an array announces, and makes room for all of it at once. No reply to a command of ours
// has more elements than this: a longer one is refused as if there were no memory for it.
#define LARDER_HIREDIS_MOST_ELEMENTS 4096

static inline void *larder_hiredis_array(const redisReadTask *task, int elements) {
    if (elements < 0 || elements > LARDER_HIREDIS_MOST_ELEMENTS) return NULL;
    return ((redisReplyObjectFunctions *)task->privdata)->createArray(task, elements);
}

// A reader whose arrays are bounded. `own` must live for as long as the reader; it gets hiredis's functions but for that one.
static inline redisReader *larder_hiredis_reader(redisReplyObjectFunctions *own) {
    redisReader *reader = redisReaderCreate();
    if (reader == NULL) return NULL;
    *own = *reader->fn;
    own->createArray = larder_hiredis_array;
    reader->privdata = reader->fn;
    reader->fn = own;
    return reader;
}

// Bytes that the reader holds and has not read yet: a bulk string that is not whole stays among them.
static inline size_t larder_hiredis_unread(const redisReader *reader) { return reader->len - reader->pos; }

static inline redisReply *larder_hiredis_element(const redisReply *reply, size_t index) { return reply->element[index]; }

#endif
