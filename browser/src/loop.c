#include "vitrine.h"

#include <stdlib.h>

static GMainLoop *loop;
static int exit_code;

int loop_run(void)
{
    loop = g_main_loop_new(NULL, FALSE);
    g_main_loop_run(loop);
    return exit_code;
}

void quit(int code)
{
    exit_code = code;
    if (loop)
        g_main_loop_quit(loop);
    else
        exit(code); // before there is anything to leave
}
