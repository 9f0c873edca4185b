/* Counts lines, words and bytes of a text: a tool in C, as small as one gets.
 *
 * It is found by its help text, like every command. Build it with build.sh and drop count.wasm into a tool folder. */

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char HELP[] =
    "Counts the lines, words and bytes of a text\n"
    "\n"
    "Usage: count [OPTIONS] <TEXT>\n"
    "\n"
    "Arguments:\n"
    "  <TEXT>  What to count\n"
    "\n"
    "Options:\n"
    "  -w, --words  Only the words\n"
    "  -h, --help   Print help\n"
    "\n"
    "Keywords: count, words, lines\n"
    "PermissionLevel: None\n";

int main(int argc, char **argv) {
    const char *text = NULL;
    int only_words = 0, options = 1;
    for (int i = 1; i < argc; i++) {
        if (options && (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))) {
            fputs(HELP, stdout);
            return 0;
        }
        if (options && !strcmp(argv[i], "--")) {
            options = 0;
        } else if (options && (!strcmp(argv[i], "-w") || !strcmp(argv[i], "--words"))) {
            only_words = 1;
        } else {
            text = argv[i];
        }
    }
    if (text == NULL) {
        fputs("count: the text is missing\n", stderr);
        return 2;
    }
    size_t lines = 0, words = 0, bytes = 0;
    int inside = 0;
    for (const char *c = text; *c != '\0'; c++, bytes++) {
        lines += *c == '\n';
        int space = isspace((unsigned char)*c) != 0;
        words += !space && !inside;
        inside = !space;
    }
    if (only_words) {
        printf("%zu\n", words);
    } else {
        printf("%zu lines, %zu words, %zu bytes\n", lines, words, bytes);
    }
    return 0;
}
