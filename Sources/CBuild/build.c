// LARDER_COMMIT comes from the environment of the build, by the manifest. It is in a file of its own: another commit compiles
// nothing else anew.
#include "build.h"

#define LARDER_TEXT_OF(name) #name
#define LARDER_TEXT(name) LARDER_TEXT_OF(name)

const char *larder_build_commit(void) {
#ifdef LARDER_COMMIT
    return LARDER_TEXT(LARDER_COMMIT);
#else
    return "unknown";
#endif
}
