// Shims for what Swift cannot import of OpenSSL: function-like macros and casts.
#pragma once
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

static inline long octet_ctx_set_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_mode(context, mode);
}
static inline int octet_ctx_set_min_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_min_proto_version(context, version);
}
static inline int octet_ctx_set_max_version(SSL_CTX *context, int version) {
  return SSL_CTX_set_max_proto_version(context, version);
}
static inline void octet_ctx_set_read_ahead(SSL_CTX *context, int yes) {
  SSL_CTX_set_read_ahead(context, yes);
}
static inline long octet_ctx_set_session_cache_mode(SSL_CTX *context, long mode) {
  return SSL_CTX_set_session_cache_mode(context, mode);
}
static inline long octet_ssl_set_mode(SSL *ssl, long mode) { return SSL_set_mode(ssl, mode); }
static inline void octet_ssl_set_read_ahead(SSL *ssl, int yes) { SSL_set_read_ahead(ssl, yes); }
static inline long octet_ssl_set_server_name(SSL *ssl, const char *name) {
  return SSL_set_tlsext_host_name(ssl, (char *)name);
}
static inline void octet_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void octet_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }
static inline void octet_bio_set_retry_write(BIO *bio) { BIO_set_retry_write(bio); }
static inline long octet_bio_memory(BIO *bio, char **data) { return BIO_get_mem_data(bio, data); }
static inline EVP_PKEY *octet_make_p256_key(void) { return EVP_EC_gen("P-256"); }
static inline int octet_error_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int octet_error_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline const char *octet_name_of_general(const GENERAL_NAME *name) {
  return name->type == GEN_DNS ? (const char *)ASN1_STRING_get0_data(name->d.dNSName) : 0;
}

static inline EVP_PKEY *octet_make_rsa_key(void) { return EVP_RSA_gen(2048); }
static inline void octet_ctx_set_no_ticket(SSL_CTX *context) { SSL_CTX_set_options(context, SSL_OP_NO_TICKET); }
static inline int octet_error_is_unexpected_end(unsigned long code) {
  return ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}
static inline long octet_ssl_set_host(SSL *ssl, const char *name) { return SSL_set1_host(ssl, name); }
/// Adds one extension written in the syntax of openssl.cnf; 1 when it was added.
static inline int octet_add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, 0, 0, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(0, &context, nid, value);
  if (!extension) return 0;
  int added = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return added;
}
static inline void octet_free(void *memory) { OPENSSL_free(memory); }
