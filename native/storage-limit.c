// vitrine-storage-limit FOLDER PERCENT: limits FOLDER and everything below it to PERCENT of its file system's blocks
// and inodes, by an ext4 project quota. Run as root before the browser starts; exits with 1 and a message if the
// file system has no project quotas.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROJECT 900 // any number: there is no other project
#define QUOTA_BLOCK 1024
#define OPEN_FOLDERS 16

static int fail(const char *what)
{
    fprintf(stderr, "vitrine-storage-limit: %s: %s\n", what, strerror(errno));
    return 1;
}

// Adds a file or folder to the project; files created in the folder later inherit it.
static int add_to_project(const char *path, const struct stat *unused, int kind, struct FTW *place)
{
    (void)unused;
    (void)place;
    if (kind != FTW_F && kind != FTW_DP)
        return 0; // links take no space
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ELOOP || errno == ENXIO ? 0 : -1; // gone, or a socket
    struct fsxattr attributes;
    int result = ioctl(fd, FS_IOC_FSGETXATTR, &attributes);
    if (result == 0) {
        attributes.fsx_projid = PROJECT;
        if (kind == FTW_DP)
            attributes.fsx_xflags |= FS_XFLAG_PROJINHERIT;
        result = ioctl(fd, FS_IOC_FSSETXATTR, &attributes);
    }
    int why = errno;
    close(fd);
    errno = why;
    return result;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long percent = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
    if (percent < 1 || percent > 100 || *end != '\0') {
        fprintf(stderr, "usage: vitrine-storage-limit FOLDER PERCENT\n");
        return 2;
    }
    int folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return fail(argv[1]);
    struct fsxattr attributes;
    if (ioctl(folder, FS_IOC_FSGETXATTR, &attributes) < 0)
        return fail("the file system has no projects");
    // The folder itself comes last: when it belongs to the project, everything below it does.
    int is_done = attributes.fsx_projid == PROJECT && (attributes.fsx_xflags & FS_XFLAG_PROJINHERIT);
    if (!is_done && nftw(argv[1], add_to_project, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) != 0)
        return fail("the folder cannot be made a project");

    // The folder itself would report the limit that is already set.
    int parent = openat(folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct statvfs all;
    if (parent < 0 || fstatvfs(parent, &all) < 0)
        return fail("the size of the file system");
    struct if_dqblk limits = {
        .dqb_bhardlimit = (uint64_t)all.f_blocks * all.f_frsize / QUOTA_BLOCK * percent / 100,
        .dqb_ihardlimit = (uint64_t)all.f_files * percent / 100,
        .dqb_valid = QIF_LIMITS,
    };
    if (syscall(SYS_quotactl_fd, folder, QCMD(Q_SETQUOTA, PRJQUOTA), PROJECT, &limits) < 0)
        return fail("the limit cannot be set");
    return 0;
}
