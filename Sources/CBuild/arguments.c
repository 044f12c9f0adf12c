// The words of the program as the C library passes them to a constructor. The Swift runtime looks for them elsewhere: in
// /proc, or in front of the environment, which a library that is loaded first may have moved (setenv in a constructor).
// glibc calls constructors with the arguments of main; another C library may not, and then there are none.
#include "build.h"

static int count;
static char **words;

__attribute__((constructor)) static void keep(int argc, char **argv) {
    count = argc;
    words = argv;
}

int larder_argument_count(void) { return words ? count : 0; }

extern char **environ;

const char *larder_variable(int index) { return environ ? environ[index] : 0; }

const char *larder_argument(int index) { return words[index]; }
