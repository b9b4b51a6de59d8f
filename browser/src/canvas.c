#include "canvas.h"

#include <fontconfig/fontconfig.h>
#include <ft2build.h>
#include <math.h>
#include FT_FREETYPE_H

void canvas_clear(Canvas *canvas)
{
    for (int i = 0; i < canvas->width * canvas->height; i++)
        canvas->pixels[i] = CANVAS_BACKGROUND;
}

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

void canvas_fill(Canvas *canvas, int left, int top, int right, int bottom, guint32 colour)
{
    double radius = (bottom - top) / 8.0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double outside = hypot(beyond(x, left, right, radius), beyond(y, top, bottom, radius)) - radius;
            blend(canvas, x, y, colour, (guint)(255 * CLAMP(0.5 - outside, 0, 1)));
        }
}

// The font that has most of the characters of the keyboard's labels; NULL without fonts.
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
        g_warning("no font for the on-screen keyboard and notices");
    if (match)
        FcPatternDestroy(match);
    FcPatternDestroy(pattern);
    FcCharSetDestroy(wanted);
    return face;
}

static FT_Face font_of_size(int size)
{
    static FT_Face font;
    static gboolean is_loaded;
    if (!is_loaded)
        font = load_font();
    is_loaded = TRUE;
    if (font)
        FT_Set_Pixel_Sizes(font, 0, (FT_UInt)MAX(size, 1));
    return font;
}

static int text_width(FT_Face font, const char *text)
{
    FT_Pos width = 0;
    for (const char *c = text; *c; c = g_utf8_next_char(c))
        if (!FT_Load_Char(font, g_utf8_get_char(c), FT_LOAD_DEFAULT))
            width += font->glyph->advance.x >> 6;
    return (int)width;
}

static void draw_glyph(Canvas *canvas, FT_GlyphSlot glyph, int x, int y)
{
    const FT_Bitmap *bitmap = &glyph->bitmap;
    for (guint row = 0; row < bitmap->rows; row++)
        for (guint column = 0; column < bitmap->width; column++)
            blend(canvas, x + glyph->bitmap_left + (int)column, y - glyph->bitmap_top + (int)row, CANVAS_TEXT,
                bitmap->buffer[(int)row * bitmap->pitch + (int)column]);
}

int canvas_text_size(const char *text, int size, int room)
{
    FT_Face font = font_of_size(size);
    for (int width = font ? text_width(font, text) : 0; width > room && size > 1; width = text_width(font, text)) {
        size = CLAMP(size * room / width, 1, size - 1);
        font_of_size(size);
    }
    return size;
}

void canvas_text(Canvas *canvas, const char *text, int size, int x, int y)
{
    FT_Face font = font_of_size(size);
    if (!font)
        return;
    int left = x - text_width(font, text) / 2, baseline = y + size * 36 / 100;
    for (const char *c = text; *c; c = g_utf8_next_char(c))
        if (!FT_Load_Char(font, g_utf8_get_char(c), FT_LOAD_RENDER)) {
            draw_glyph(canvas, font->glyph, left, baseline);
            left += (int)(font->glyph->advance.x >> 6);
        }
}
