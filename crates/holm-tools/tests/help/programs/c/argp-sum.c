/* argp of the GNU C library. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

const char *argp_program_version = "argp-sum 1.4.0";
static char doc[] = "argp-sum -- adds up files\vFiles are read in the order given.";
static char args_doc[] = "FILE...";
static struct argp_option options[] = {
    {"verbose", 'v', 0, 0, "Says more", 0},
    {"algorithm", 'a', "NAME", 0, "How to add: crc, md5 or sha (default crc)", 0},
    {"output", 'o', "FILE", 0, "Where the sum goes instead of standard output", 0},
    {"repeat", 'r', "COUNT", OPTION_ARG_OPTIONAL, "Adds COUNT times (default 10)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
    switch (key) {
    case 'v': case 'a': case 'o': case 'r': return 0;
    case ARGP_KEY_ARG: printf("%s\n", arg); return 0;
    case ARGP_KEY_END: if (state->arg_num < 1) argp_usage(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv) {
    struct argp argp = {options, parse, args_doc, doc, 0, 0, 0};
    return argp_parse(&argp, argc, argv, 0, 0, 0);
}
