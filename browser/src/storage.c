#include "vitrine.h"

#include <math.h>
#include <stdlib.h>
#include <sys/statvfs.h>

// Shares of the folder's limit. The rest is for cookies and the caches of HTTP and shaders: pages should reach WebKit's
// limit before the file system's, because IndexedDB does not report an error of the file system. When all origins
// together exceed their share, WebKit removes data of sites that are not shown.
#define ORIGIN_SHARE 0.6
#define ALL_ORIGINS_SHARE 0.7
#define DEFAULT_PERCENT 25
#define WEBKIT_UNIT (1024.0 * 1024 * 1024) // WebKit rounds the size of the file system up to a multiple of it

static double size_of(const char *path)
{
    struct statvfs size;
    return statvfs(path, &size) == 0 ? (double)size.f_blocks * (double)size.f_frsize : 0;
}

// The session creates its data manager itself and cannot pass the ratios on, but a construct property that is not given
// gets its default from the class.
static void set_default(const char *property, double value)
{
    GObjectClass *class = g_type_class_ref(WEBKIT_TYPE_WEBSITE_DATA_MANAGER); // never released, so that the default stays
    GParamSpec *spec = g_object_class_find_property(class, property);
    if (spec && G_IS_PARAM_SPEC_DOUBLE(spec))
        G_PARAM_SPEC_DOUBLE(spec)->default_value = value;
    else
        g_critical("WebKit has no %s: one page can fill the disk", property);
}

void storage_limit(const char *folder)
{
    g_autofree char *parent = g_path_get_dirname(folder);
    const char *text = g_getenv("VITRINE_STORAGE_PERCENT");
    double percent = text ? strtod(text, NULL) : DEFAULT_PERCENT;
    double all = size_of(parent), own = size_of(folder);
    if (own <= 0)
        return;
    // A folder with a quota (limit.c) reports the quota as its size.
    double limit = own < all ? own : own * percent / 100;
    double counted = ceil(own / WEBKIT_UNIT) * WEBKIT_UNIT;
    set_default("origin-storage-ratio", ORIGIN_SHARE * limit / counted);
    set_default("total-storage-ratio", ALL_ORIGINS_SHARE * limit / counted);
}
