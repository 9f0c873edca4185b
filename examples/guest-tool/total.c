// A tool for Holm: an ordinary program whose help text is its description. It adds up one column of a CSV file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HELP[] =
    "Adds up the numbers in one column of a CSV file without quotes.\n"
    "\n"
    "Keywords: csv, sum, column\n"
    "\n"
    "Usage: total <PATH> <COLUMN>\n"
    "\n"
    "Arguments:\n"
    "  <PATH>    The file\n"
    "  <COLUMN>  The name of the column, as in the first line\n"
    "\n"
    "Options:\n"
    "  -h, --help  Print help\n";

// Ends the n-th field of a line with a zero byte and returns it, or NULL if there are fewer.
static char *field(char *line, int n) {
    line[strcspn(line, "\r\n")] = '\0';
    for (; n > 0 && line != NULL; n--) {
        line = strchr(line, ',');
        if (line != NULL) line++;
    }
    if (line != NULL) line[strcspn(line, ",")] = '\0';
    return line;
}

int main(int argc, char **argv) {
    if (argc > 1 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        fputs(HELP, stdout);
        return 0;
    }
    // Holm puts `--` before the arguments, so that none of them is taken for an option.
    int first = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
    if (argc != first + 2) {
        fputs("name a file and a column; see --help\n", stderr);
        return 2;
    }
    FILE *file = fopen(argv[first], "r");
    if (file == NULL) {
        perror(argv[first]);
        return 1;
    }
    static char line[65536], copy[65536];
    if (fgets(line, sizeof line, file) == NULL) line[0] = '\0';
    int column = 0;
    for (char *name;; column++) {
        memcpy(copy, line, sizeof line);
        name = field(copy, column);
        if (name == NULL) {
            fprintf(stderr, "there is no column %s\n", argv[first + 1]);
            return 1;
        }
        if (strcmp(name, argv[first + 1]) == 0) break;
    }
    double total = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        char *value = field(line, column);
        if (value != NULL) total += strtod(value, NULL);
    }
    printf("%.2f\n", total);
    return 0;
}
