// What the build knows and the sources do not.
#ifndef LARDER_CBUILD_H
#define LARDER_CBUILD_H

/// The commit that was built, or "unknown".
const char *larder_build_commit(void);

#endif
