/* popt. */
#include <popt.h>
#include <stdio.h>

int main(int argc, const char **argv) {
    int speed = 3, quiet = 0; char *name = NULL;
    struct poptOption table[] = {
        {"speed", 's', POPT_ARG_INT | POPT_ARGFLAG_SHOW_DEFAULT, &speed, 0, "How fast to play", "BPM"},
        {"name", 'n', POPT_ARG_STRING, &name, 0, "Name of the tune", "NAME"},
        {"quiet", 'q', POPT_ARG_NONE, &quiet, 0, "Plays softly", NULL},
        POPT_AUTOHELP POPT_TABLEEND};
    poptContext context = poptGetContext("popt-tune", argc, argv, table, 0);
    poptSetOtherOptionHelp(context, "[OPTIONS]* <file>");
    int rc = poptGetNextOpt(context);
    if (rc < -1) { fprintf(stderr, "%s\n", poptStrerror(rc)); return 2; }
    const char *file = poptGetArg(context);
    if (!file) { poptPrintUsage(context, stderr, 0); return 2; }
    printf("%s %d\n", file, speed);
    return 0;
}
