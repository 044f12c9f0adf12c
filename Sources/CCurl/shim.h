// libcurl, with one typed wrapper per kind of argument: curl_easy_setopt and its kin are variadic,
// which Swift cannot call.
#ifndef LARDER_CCURL_SHIM_H
#define LARDER_CCURL_SHIM_H

#include <curl/curl.h>

static inline CURLcode larder_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode larder_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode larder_easy_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode larder_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode larder_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
typedef size_t (*larder_data_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode larder_easy_set_data_callback(CURL *easy, CURLoption option, larder_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}
typedef curl_socket_t (*larder_open_socket_callback)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);
static inline CURLcode larder_easy_set_open_socket(CURL *easy, larder_open_socket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
typedef int (*larder_close_socket_callback)(void *context, curl_socket_t descriptor);
static inline CURLcode larder_easy_set_close_socket(CURL *easy, larder_close_socket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
typedef int (*larder_prereq_callback)(void *context, char *peer, char *local, int peer_port, int local_port);
static inline CURLcode larder_easy_set_prereq(CURL *easy, larder_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
// The socket of a connection that a handle has made.
static inline CURLcode larder_easy_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}
static inline CURLcode larder_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode larder_easy_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
// The OpenSSL state (an SSL) of a transfer's connection; NULL without TLS, with another TLS library, and outside the transfer
// (https://curl.se/libcurl/c/CURLINFO_TLS_SSL_PTR.html).
static inline void *larder_easy_openssl(CURL *easy) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || info == NULL) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}
// Name and version of the TLS library in use; NULL without one.
static inline const char *larder_curl_tls_library(void) { return curl_version_info(CURLVERSION_NOW)->ssl_version; }

typedef int (*larder_multi_socket_callback)(
    CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context);
typedef int (*larder_multi_timer_callback)(CURLM *multi, long milliseconds, void *context);
static inline CURLMcode larder_multi_set_socket_callback(CURLM *multi, larder_multi_socket_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode larder_multi_set_timer_callback(CURLM *multi, larder_multi_timer_callback value) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}
static inline CURLMcode larder_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode larder_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLSHcode larder_share_share(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}
// CURLMsg keeps its result in a union.
static inline CURLcode larder_message_result(const CURLMsg *message) { return message->data.result; }
// A macro with a cast.
static const curl_socket_t larder_CURL_SOCKET_TIMEOUT = CURL_SOCKET_TIMEOUT;
static const curl_socket_t larder_CURL_SOCKET_BAD = CURL_SOCKET_BAD;
static const long larder_CURL_GLOBAL_DEFAULT = CURL_GLOBAL_DEFAULT;
// What the data callbacks answer, as the type they answer with.
static const long larder_CURL_WRITEFUNC_PAUSE = CURL_WRITEFUNC_PAUSE;
static const long larder_CURL_READFUNC_PAUSE = CURL_READFUNC_PAUSE;
static const long larder_CURL_READFUNC_ABORT = CURL_READFUNC_ABORT;
static const int larder_CURLPAUSE_RECV = CURLPAUSE_RECV;
static const int larder_CURLPAUSE_SEND = CURLPAUSE_SEND;
static inline const char *larder_curl_tls_version(void) {
    const char *version = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return version ? version : "none";
}
// The version of the loaded library as 0xXXYYZZ, for 7.88.1 0x075801.
static inline unsigned int larder_curl_version_number(void) { return curl_version_info(CURLVERSION_NOW)->version_num; }
static inline const char *larder_curl_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

#endif
