// libcrypto: SHA-256, SHA-512 and random bytes.
#ifndef LARDER_CCRYPTO_SHIM_H
#define LARDER_CCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

// The one-call SHA256() of libcrypto 3 looks its algorithm up by name each time, which takes longer than the digest of a
// key; these three do not. They are marked as deprecated in favour of that look-up, and are part of every libcrypto 3.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static inline void larder_sha256(const void *bytes, size_t length, void *out) {
    SHA256_CTX context;
    SHA256_Init(&context);
    SHA256_Update(&context, bytes, length);
    SHA256_Final((unsigned char *)out, &context);
}

// The same for bytes that come piece by piece.
static inline void larder_sha256_begin(SHA256_CTX *context) { SHA256_Init(context); }
static inline void larder_sha256_add(SHA256_CTX *context, const void *bytes, size_t length) {
    SHA256_Update(context, bytes, length);
}
static inline void larder_sha256_end(SHA256_CTX *context, void *out) { SHA256_Final((unsigned char *)out, context); }

// SHA-512, for digests that responses carry.
static inline void larder_sha512_begin(SHA512_CTX *context) { SHA512_Init(context); }
static inline void larder_sha512_add(SHA512_CTX *context, const void *bytes, size_t length) {
    SHA512_Update(context, bytes, length);
}
static inline void larder_sha512_end(SHA512_CTX *context, void *out) { SHA512_Final((unsigned char *)out, context); }
#pragma GCC diagnostic pop

#endif
