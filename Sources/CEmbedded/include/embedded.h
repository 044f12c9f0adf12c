// Files that the program carries in it, by their paths below Sources/.
#ifndef LARDER_CEMBEDDED_H
#define LARDER_CEMBEDDED_H

#include <stddef.h>

/// The text of a file, and its bytes; null if there is none of that path.
const char *larder_embedded(const char *path, size_t *count);

/// The path of a file by its index, from 0; null behind the last.
const char *larder_embedded_path(size_t index);

#endif
