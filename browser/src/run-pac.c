// Runs a PAC script: reads an address per line and writes its proxies, separated by spaces, as a line. A process of its
// own, because libproxy bounds neither the script's time nor its memory, nor the size of its file; pac-resolver.c ends it.
#include "pac.h"

#include <dlfcn.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define MAX_MEMORY (512ul * 1024 * 1024) // of addresses, most of which is never used
#define MAX_LINE 4096

int main(void)
{
    char line[MAX_LINE];
    g_autofree char *pac = g_strconcat("pac+", g_getenv("VITRINE_PAC_URL"), NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_AS, &(struct rlimit){MAX_MEMORY, MAX_MEMORY});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    g_setenv("http_proxy", pac, TRUE);
    g_setenv("https_proxy", pac, TRUE);
    g_setenv("PX_FORCE_CONFIG", "config-env", TRUE);
    g_unsetenv("no_proxy");
    // dlopen: WebKit's packages include libproxy, but not its headers.
    void *libproxy = dlopen("libproxy.so.1", RTLD_NOW);
    void *(*create)(void) = libproxy ? dlsym(libproxy, "px_proxy_factory_new") : NULL;
    char **(*find)(void *, const char *) = libproxy ? dlsym(libproxy, "px_proxy_factory_get_proxies") : NULL;
    if (!create || !find) {
        g_printerr("libproxy cannot be used: %s\n", dlerror());
        return 1;
    }
    void *factory = create();
    while (fgets(line, sizeof line, stdin)) {
        g_auto(GStrv) proxies = find(factory, g_strstrip(line)); // each allocated with malloc, like GLib's
        g_autofree char *answer = proxies ? g_strjoinv(" ", proxies) : g_strdup("direct://");
        if (printf("%s\n", answer) < 0 || fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
