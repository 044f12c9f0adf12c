// SQLite, with wrappers for its variadic configuration calls and for the destructor constants, which are casts.
#ifndef LARDER_CSQLITE_SHIM_H
#define LARDER_CSQLITE_SHIM_H

#include <sqlite3.h>

// Bound bytes live at least until the statement is reset: no copy (sqlite.org/c3ref/bind_blob.html).
static inline int larder_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_STATIC);
}
static inline int larder_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}
static inline int larder_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}
static inline int larder_config_int(int option, int value) { return sqlite3_config(option, value); }
static inline int larder_db_config_int(sqlite3 *db, int option, int value, int *result) {
    return sqlite3_db_config(db, option, value, result);
}

#endif
