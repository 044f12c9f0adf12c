// libssl: looking at what a kept TLS connection has received. libcurl makes and closes every TLS connection itself.
#ifndef LARDER_CSSL_SHIM_H
#define LARDER_CSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

// Called through a function pointer type that Swift cannot spell.
static inline void larder_ssl_ctx_set_new_session(SSL_CTX *context, int (*value)(SSL *, SSL_SESSION *)) {
    SSL_CTX_sess_set_new_cb(context, value);
}

#endif
