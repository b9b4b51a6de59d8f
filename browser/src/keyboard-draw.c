#include "keyboard-parts.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include <math.h>
#include FT_FREETYPE_H

#define BACKGROUND 0xff1b1e23u
#define TEXT_KEY 0xff454b55u
#define OTHER_KEY 0xff2f343cu
#define PRESSED_KEY 0xff3c7ddbu
#define LABEL 0xffffffffu

typedef struct {
    guint32 *pixels;
    int width, height;
} Canvas;

static void blend(Canvas *canvas, int x, int y, guint32 colour, guint alpha)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height)
        return;
    guint32 *pixel = &canvas->pixels[y * canvas->width + x], mixed = 0xff000000u;
    for (guint shift = 0; shift < 24; shift += 8) {
        guint below = (*pixel >> shift) & 0xff, above = (colour >> shift) & 0xff;
        mixed |= ((below * (255 - alpha) + above * alpha) / 255) << shift;
    }
    *pixel = mixed;
}

// How far the centre of a pixel is outside of the straight part of a side, for the round corners.
static double beyond(int at, int from, int to, double radius)
{
    double centre = at + 0.5;
    return MAX(0, MAX(from + radius - centre, centre - (to - radius)));
}

static void fill(Canvas *canvas, int left, int top, int right, int bottom, guint32 colour)
{
    double radius = (bottom - top) / 8.0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double outside = hypot(beyond(x, left, right, radius), beyond(y, top, bottom, radius)) - radius;
            blend(canvas, x, y, colour, (guint)(255 * CLAMP(0.5 - outside, 0, 1)));
        }
}

// The font that has most of the characters of the labels; NULL without fonts.
static FT_Face load_font(void)
{
    FT_Library library;
    FT_Face face = NULL;
    FcChar8 *file;
    FcCharSet *wanted = FcCharSetCreate();
    for (const char *c = "aß⇧⇪⌫⏎←→▼"; *c; c = g_utf8_next_char(c))
        FcCharSetAddChar(wanted, g_utf8_get_char(c));
    FcPattern *pattern = FcNameParse((const FcChar8 *)"sans-serif");
    FcPatternAddCharSet(pattern, FC_CHARSET, wanted);
    FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
    FcConfigSubstitute(NULL, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    FcResult result;
    FcPattern *match = FcFontMatch(NULL, pattern, &result);
    if (!match || FcPatternGetString(match, FC_FILE, 0, &file) != FcResultMatch || FT_Init_FreeType(&library) ||
        FT_New_Face(library, (const char *)file, 0, &face))
        g_warning("no font for the on-screen keyboard");
    if (match)
        FcPatternDestroy(match);
    FcPatternDestroy(pattern);
    FcCharSetDestroy(wanted);
    return face;
}

static int text_width(FT_Face font, const char *text)
{
    FT_Pos width = 0;
    for (const char *c = text; *c; c = g_utf8_next_char(c))
        if (!FT_Load_Char(font, g_utf8_get_char(c), FT_LOAD_DEFAULT))
            width += font->glyph->advance.x;
    return (int)(width >> 6);
}

static void draw_glyph(Canvas *canvas, FT_GlyphSlot glyph, int x, int y)
{
    const FT_Bitmap *bitmap = &glyph->bitmap;
    for (guint row = 0; row < bitmap->rows; row++)
        for (guint column = 0; column < bitmap->width; column++)
            blend(canvas, x + glyph->bitmap_left + (int)column, y - glyph->bitmap_top + (int)row, LABEL,
                bitmap->buffer[(int)row * bitmap->pitch + (int)column]);
}

static void draw_label(Canvas *canvas, const char *label, int left, int top, int right, int bottom)
{
    static FT_Face font;
    static gboolean is_loaded;
    if (!is_loaded)
        font = load_font();
    is_loaded = TRUE;
    if (!font)
        return;
    int size = (bottom - top) * 4 / 9, room = (right - left) * 8 / 10;
    FT_Set_Pixel_Sizes(font, 0, (FT_UInt)MAX(size, 1));
    int width = text_width(font, label);
    if (width > room) {
        size = size * room / width;
        FT_Set_Pixel_Sizes(font, 0, (FT_UInt)MAX(size, 1));
        width = text_width(font, label);
    }
    int x = (left + right - width) / 2, baseline = (top + bottom) / 2 + size * 36 / 100;
    for (const char *c = label; *c; c = g_utf8_next_char(c))
        if (!FT_Load_Char(font, g_utf8_get_char(c), FT_LOAD_RENDER)) {
            draw_glyph(canvas, font->glyph, x, baseline);
            x += (int)(font->glyph->advance.x >> 6);
        }
}

void keyboard_draw(guint32 *pixels, int width, int height, const Keys *keys, const Key *pressed)
{
    Canvas canvas = {pixels, width, height};
    for (int i = 0; i < width * height; i++)
        pixels[i] = BACKGROUND;
    int gap = MAX(height / 80, 1);
    for (guint i = 0; i < keys->count; i++) {
        const Key *key = &keys->keys[i];
        int left = (int)(key->x * width) + gap, right = (int)((key->x + key->width) * width) - gap;
        int top = (int)(key->y * height) + gap, bottom = (int)((key->y + key->height) * height) - gap;
        guint32 colour = key == pressed || key->is_on ? PRESSED_KEY : key->kind == KEY_TEXT ? TEXT_KEY : OTHER_KEY;
        fill(&canvas, left, top, right, bottom, colour);
        draw_label(&canvas, key->label, left, top, right, bottom);
    }
}
