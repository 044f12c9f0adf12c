// zlib, with its initialisers, which are macros that pass the struct's size.
#ifndef LARDER_CZLIB_SHIM_H
#define LARDER_CZLIB_SHIM_H

#include <zlib.h>

static inline int larder_inflate_init(z_stream *stream, int window_bits) { return inflateInit2(stream, window_bits); }
static inline int larder_deflate_init(z_stream *stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
