// libssl and libcrypto: TLS without a socket, certificates, and a look at what a kept TLS connection has received. The
// functions below are macros, or lists that only macros reach.
#ifndef LARDER_CSSL_SHIM_H
#define LARDER_CSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>

// Called through a function pointer type that Swift cannot spell.
static inline void larder_ssl_ctx_set_new_session(SSL_CTX *context, int (*value)(SSL *, SSL_SESSION *)) {
    SSL_CTX_sess_set_new_cb(context, value);
}

// The flags are macros with a cast in them.
static inline void larder_ssl_ctx_refuse_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

// A new key on the curve P-256. The function behind the macro takes a variable number of arguments.
static inline EVP_PKEY *larder_p256_key(void) { return EVP_EC_gen("P-256"); }

// The permitted DNS name at an index, null if another kind of name is there; the number of permitted names.
static inline int larder_permitted_count(const NAME_CONSTRAINTS *constraints) {
    return constraints->permittedSubtrees == NULL ? 0 : sk_GENERAL_SUBTREE_num(constraints->permittedSubtrees);
}
static inline const ASN1_STRING *larder_permitted_name(const NAME_CONSTRAINTS *constraints, int index) {
    int type;
    void *name = GENERAL_NAME_get0_value(sk_GENERAL_SUBTREE_value(constraints->permittedSubtrees, index)->base, &type);
    return type == GEN_DNS ? (const ASN1_STRING *)name : NULL;
}

// Adds a certificate to the bags of a PKCS #12 file, with the attribute by which Java knows a trusted one: the purposes
// that it is trusted for, here any (JDK, sun.security.pkcs12.PKCS12KeyStore, TrustedKeyUsage). Returns 1, or 0.
static inline int larder_add_trusted(STACK_OF(PKCS12_SAFEBAG) **bags, X509 *certificate, const char *name) {
    PKCS12_SAFEBAG *bag = PKCS12_add_cert(bags, certificate);
    const unsigned char *any = (const unsigned char *)OBJ_nid2obj(NID_anyExtendedKeyUsage);
    return bag != NULL && PKCS12_add_friendlyname_utf8(bag, name, -1) == 1 &&
           PKCS12_add1_attr_by_txt(bag, "2.16.840.1.113894.746875.1.1", V_ASN1_OBJECT, any, -1) == 1;
}

// A PKCS #12 file of the bags, in plain (nid -1), with a MAC. Frees the bags. Null if there is no memory.
static inline PKCS12 *larder_trust_store(STACK_OF(PKCS12_SAFEBAG) *bags, const char *password) {
    STACK_OF(PKCS7) *safes = NULL;
    PKCS12 *store = NULL;
    if (PKCS12_add_safe(&safes, bags, -1, 0, NULL) == 1) store = PKCS12_add_safes(safes, 0);
    if (store != NULL && PKCS12_set_mac(store, password, -1, NULL, 0, PKCS12_DEFAULT_ITER, EVP_sha256()) != 1) {
        PKCS12_free(store);
        store = NULL;
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    return store;
}

#endif
