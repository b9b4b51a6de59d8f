#include "splash.h"

#include <fcntl.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The limits of the agent (agent/src/resources/branding/png.ts). Checked again, because the disk may be damaged. */
enum { MAX_SIDE = 8192, MAX_PIXELS = 1 << 25 };

/* Never waits for the other end of a pipe. */
static FILE *open_regular(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

bool picture_read(const char *path, struct picture *picture)
{
    FILE *file = open_regular(path);
    if (!file)
        return false;
    png_image png = {.version = PNG_IMAGE_VERSION};
    uint8_t *pixels = NULL;
    bool decoded = false;
    if (png_image_begin_read_from_stdio(&png, file) && png.width <= MAX_SIDE && png.height <= MAX_SIDE &&
        png.width * png.height <= MAX_PIXELS) {
        png.format = PNG_FORMAT_BGR;
        pixels = malloc(PNG_IMAGE_SIZE(png));
        decoded = pixels && png_image_finish_read(&png, &(png_color){0}, pixels, 0, NULL);
    }
    if (decoded) {
        *picture = (struct picture){png.width, png.height, pixels};
    } else {
        fprintf(stderr, "%s is skipped: %s\n", path, png.message[0] ? png.message : "too large");
        free(pixels);
    }
    png_image_free(&png);
    fclose(file);
    return decoded;
}

/* Scales down. Each pixel is the mean of the pixels that it covers. */
static void shrink(const struct picture *from, const struct picture *to)
{
    if (from->width == to->width && from->height == to->height) {
        memcpy(to->pixels, from->pixels, (size_t)to->width * to->height * 3);
        return;
    }
    for (uint32_t y = 0; y < to->height; y++) {
        uint32_t top = (uint64_t)y * from->height / to->height;
        uint32_t bottom = (uint64_t)(y + 1) * from->height / to->height;
        for (uint32_t x = 0; x < to->width; x++) {
            uint32_t left = (uint64_t)x * from->width / to->width;
            uint32_t right = (uint64_t)(x + 1) * from->width / to->width;
            uint64_t sum[3] = {0};
            for (uint32_t row = top; row < bottom; row++) {
                const uint8_t *at = from->pixels + ((size_t)row * from->width + left) * 3;
                for (uint32_t column = left; column < right; column++, at += 3)
                    for (int i = 0; i < 3; i++)
                        sum[i] += at[i];
            }
            uint64_t count = (uint64_t)(bottom - top) * (right - left);
            uint8_t *mean = to->pixels + ((size_t)y * to->width + x) * 3;
            for (int i = 0; i < 3; i++)
                mean[i] = sum[i] / count;
        }
    }
}

/* The size of the picture scaled down to fit into width x height; never larger than the picture. */
static struct picture fitted(const struct picture *picture, uint32_t width, uint32_t height)
{
    struct picture fit = {picture->width, picture->height, NULL};
    if (fit.width > width) {
        fit.height = (uint64_t)picture->height * width / picture->width;
        fit.width = width;
    }
    if (fit.height > height) {
        fit.width = (uint64_t)picture->width * height / picture->height;
        fit.height = height;
    }
    fit.width = fit.width ? fit.width : 1;
    fit.height = fit.height ? fit.height : 1;
    return fit;
}

bool picture_draw(
    const struct picture *picture, int rotation, uint32_t width, uint32_t height, uint32_t stride, uint8_t *screen)
{
    bool turned = rotation == 90 || rotation == 270;
    struct picture fit = turned ? fitted(picture, height, width) : fitted(picture, width, height);
    fit.pixels = malloc((size_t)fit.width * fit.height * 3);
    if (!fit.pixels)
        return false;
    shrink(picture, &fit);
    uint32_t box_width = turned ? fit.height : fit.width, box_height = turned ? fit.width : fit.height;
    uint32_t left = (width - box_width) / 2, top = (height - box_height) / 2;
    for (uint32_t y = 0; y < fit.height; y++) {
        for (uint32_t x = 0; x < fit.width; x++) {
            uint32_t column = x, row = y;
            if (rotation == 90) {
                column = fit.height - 1 - y;
                row = x;
            } else if (rotation == 180) {
                column = fit.width - 1 - x;
                row = fit.height - 1 - y;
            } else if (rotation == 270) {
                column = y;
                row = fit.width - 1 - x;
            }
            const uint8_t *from = fit.pixels + ((size_t)y * fit.width + x) * 3;
            uint8_t *to = screen + (size_t)(top + row) * stride + (size_t)(left + column) * 4;
            for (int i = 0; i < 3; i++)
                to[i] = from[i];
        }
    }
    free(fit.pixels);
    return true;
}
