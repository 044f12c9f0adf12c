// What the build knows and the sources do not, and the words with which the program was started.
#ifndef LARDER_CBUILD_H
#define LARDER_CBUILD_H

/// The commit that was built, or "unknown".
const char *larder_build_commit(void);

/// How many words the program was started with, its own name included; 0 if the C library did not tell.
int larder_argument_count(void);

/// A word by its index, which is below the count.
const char *larder_argument(int index);

/// A variable of the environment, "NAME=VALUE", by its index; null behind the last. To be asked before other threads start.
const char *larder_variable(int index);

#endif
