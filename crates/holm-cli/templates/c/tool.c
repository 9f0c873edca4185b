// A tool for Holm: an ordinary program whose help text is its description.
#include <stdio.h>
#include <string.h>

static const char HELP[] =
    "Greets somebody.\n"
    "\n"
    "Keywords: greeting, hello\n"
    "\n"
    "Usage: NAME [OPTIONS] <WHO>\n"
    "\n"
    "Arguments:\n"
    "  <WHO>   Who is greeted\n"
    "\n"
    "Options:\n"
    "  -l, --loud   With an exclamation mark\n"
    "  -h, --help   Print help\n";

int main(int argc, char **argv) {
    int loud = 0, words_only = 0;
    const char *who = NULL;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!words_only && strcmp(word, "--") == 0) {
            words_only = 1;
        } else if (!words_only && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0)) {
            fputs(HELP, stdout);
            return 0;
        } else if (!words_only && (strcmp(word, "-l") == 0 || strcmp(word, "--loud") == 0)) {
            loud = 1;
        } else {
            who = word;
        }
    }
    if (who == NULL) {
        fputs("say who is greeted; see --help\n", stderr);
        return 2;
    }
    fputs("Hello, ", stdout);
    fputs(who, stdout);
    puts(loud ? "!" : ".");
    return 0;
}
