// libcrypto: SHA-256, HMAC and random bytes.
#ifndef LARDER_CCRYPTO_SHIM_H
#define LARDER_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

static inline int larder_hmac_sha256(const void *key, int key_length, const unsigned char *bytes, size_t length,
                                     unsigned char *out) {
    unsigned int written = 0;
    return HMAC(EVP_sha256(), key, key_length, bytes, length, out, &written) != 0 && written == 32;
}

#endif
