#include "storage.h"

#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <wpe/webkit.h>

// Shares of the folder's limit. The rest is for cookies and the caches of HTTP and shaders: pages should reach WebKit's
// limit before the file system's, because IndexedDB does not report an error of the file system. When all origins
// together exceed their share, WebKit removes data of sites that are not shown.
#define ORIGIN_SHARE 0.6
#define ALL_ORIGINS_SHARE 0.7
#define DEFAULT_PERCENT 25
#define DAMAGED "damaged-"                 // prefix of entries renamed because they could not be deleted
#define MAX_CHECKED 20000                  // files and folders; the browser must start soon
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
    // Never released, so that the default stays.
    GObjectClass *class = g_type_class_ref(WEBKIT_TYPE_WEBSITE_DATA_MANAGER);
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
    // A folder with a quota (native/storage-limit.c) reports the quota as its size.
    double limit = own < all ? own : own * percent / 100;
    double counted = ceil(own / WEBKIT_UNIT) * WEBKIT_UNIT;
    set_default("origin-storage-ratio", ORIGIN_SHARE * limit / counted);
    set_default("total-storage-ratio", ALL_ORIGINS_SHARE * limit / counted);
}

// Deletes a file or a folder, or at least moves it out of the way; kiosk-prepare deletes it then.
static void discard(int folder, const char *name)
{
    g_autofree char *aside = g_strconcat(DAMAGED, name, NULL);
    g_warning("%s in the browser's folder cannot be used and is removed", name);
    if (unlinkat(folder, name, 0) != 0 && unlinkat(folder, name, AT_REMOVEDIR) != 0)
        renameat(folder, name, folder, aside);
}

static gboolean is_cookie_file(const char *name)
{
    return g_str_has_prefix(name, "cookies.sqlite");
}

// Beside the cookies there are only folders.
static gboolean is_usable(int folder, const char *name)
{
    struct stat file;
    int access = is_cookie_file(name) ? R_OK | W_OK : R_OK | W_OK | X_OK;
    mode_t type = is_cookie_file(name) ? S_IFREG : S_IFDIR;
    return fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0 && (file.st_mode & S_IFMT) == type &&
        faccessat(folder, name, access, 0) == 0;
}

// Whether SQLite can use the file. Reads its beginning, which is enough for a file that was cut off or overwritten.
static gboolean is_intact(const char *path)
{
    sqlite3 *database = NULL;
    gboolean intact = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_exec(database, "SELECT name FROM sqlite_master", NULL, NULL, NULL) == SQLITE_OK;
    int error = sqlite3_errcode(database);
    sqlite3_close(database);
    return intact || (error != SQLITE_CORRUPT && error != SQLITE_NOTADB);
}

// WebKit keeps using a database that it cannot read, and pages get errors.
static int check_file(const char *path, const struct stat *file, int type, struct FTW *place)
{
    static const char *const parts[] = {"", "-wal", "-shm", "-journal"};
    static guint count;
    if (++count > MAX_CHECKED)
        return 1;
    if (type != FTW_F || !S_ISREG(file->st_mode) || !g_regex_match_simple("\\.sqlite3?$", path, 0, 0) ||
        is_intact(path))
        return 0;
    g_warning("the database %s is damaged and is removed", path);
    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        g_autofree char *name = g_strconcat(path, parts[i], NULL);
        unlink(name);
    }
    return 0;
}

const char *storage_repair(const char *path)
{
    g_autoptr(GDir) entries = g_dir_open(path, 0, NULL);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    gboolean is_writable = entries && folder >= 0 && faccessat(folder, ".", W_OK | X_OK, 0) == 0;
    for (const char *name; is_writable && (name = g_dir_read_name(entries));)
        if (!g_str_has_prefix(name, DAMAGED) && !is_usable(folder, name))
            discard(folder, name);
    if (folder >= 0)
        close(folder);
    if (is_writable) {
        nftw(path, check_file, 16, FTW_PHYS);
        return path;
    }
    char *other = g_dir_make_tmp("vitrine-XXXXXX", NULL);
    g_warning("the browser's folder cannot be written: what pages store is lost when the browser ends");
    return other ? other : path;
}
