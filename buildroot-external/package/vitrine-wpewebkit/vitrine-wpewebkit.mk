################################################################################
#
# vitrine-wpewebkit
#
################################################################################

# Stable series have an even middle number.
VITRINE_WPEWEBKIT_VERSION = 2.54.2
VITRINE_WPEWEBKIT_SITE = https://wpewebkit.org/releases
VITRINE_WPEWEBKIT_SOURCE = wpewebkit-$(VITRINE_WPEWEBKIT_VERSION).tar.xz
VITRINE_WPEWEBKIT_INSTALL_STAGING = YES
VITRINE_WPEWEBKIT_LICENSE = \
	LGPL-2.0+, LGPL-2.1+, BSD-2-Clause, BSD-3-Clause (Skia, ANGLE)
VITRINE_WPEWEBKIT_LICENSE_FILES = \
	Source/WebCore/LICENSE-APPLE \
	Source/WebCore/LICENSE-LGPL-2 \
	Source/WebCore/LICENSE-LGPL-2.1 \
	Source/ThirdParty/ANGLE/LICENSE \
	Source/ThirdParty/skia/LICENSE
VITRINE_WPEWEBKIT_CPE_ID_VENDOR = wpewebkit
VITRINE_WPEWEBKIT_CPE_ID_PRODUCT = wpe_webkit
VITRINE_WPEWEBKIT_DEPENDENCIES = \
	host-gperf \
	host-libglib2 \
	host-pkgconf \
	host-python3 \
	host-ruby \
	host-unifdef \
	host-wayland \
	expat \
	fontconfig \
	freetype \
	gst1-plugins-base \
	gstreamer1 \
	harfbuzz \
	icu \
	jpeg \
	lcms2 \
	libavif \
	libdrm \
	libegl \
	libepoxy \
	libgbm \
	libgcrypt \
	libgles \
	libglib2 \
	libpng \
	libsoup3 \
	libtasn1 \
	libxkbcommon \
	libxml2 \
	libxslt \
	sqlite \
	wayland \
	wayland-protocols \
	webp \
	woff2 \
	zlib

# The port refuses every other generator.
VITRINE_WPEWEBKIT_CMAKE_BACKEND = ninja

# Buildroot's compiler wrapper calls ccache; WebKit must not call it again.
VITRINE_WPEWEBKIT_CONF_ENV = WK_USE_CCACHE=NO

# Every public option of Source/cmake/OptionsWPE.cmake and what it includes is
# set, so that no feature follows from what happens to lie in staging.

# How it is shown: by WPEPlatform, on Wayland.
VITRINE_WPEWEBKIT_CONF_OPTS = \
	-DPORT=WPE \
	-DENABLE_WPE_PLATFORM=ON \
	-DENABLE_WPE_PLATFORM_WAYLAND=ON \
	-DENABLE_WPE_PLATFORM_DRM=OFF \
	-DENABLE_WPE_PLATFORM_HEADLESS=OFF \
	-DENABLE_WPE_LEGACY_API=OFF \
	-DENABLE_WPE_1_1_API=OFF \
	-DENABLE_WPE_QT_API=OFF \
	-DUSE_GBM=ON \
	-DUSE_LIBDRM=ON \
	-DUSE_VULKAN=OFF

# What is neither for the device nor for those who develop for it.
VITRINE_WPEWEBKIT_CONF_OPTS += \
	-DENABLE_API_TESTS=OFF \
	-DENABLE_COG=OFF \
	-DENABLE_DOCUMENTATION=OFF \
	-DENABLE_EXPERIMENTAL_FEATURES=OFF \
	-DENABLE_INTROSPECTION=OFF \
	-DENABLE_LAYOUT_TESTS=OFF \
	-DENABLE_MINIBROWSER=OFF \
	-DENABLE_WEBDRIVER=OFF \
	-DUSE_SYSPROF_CAPTURE=OFF

# JavaScript: both CPUs have all tiers of the compiler.
VITRINE_WPEWEBKIT_CONF_OPTS += \
	-DENABLE_JIT=ON \
	-DENABLE_C_LOOP=OFF

# What pages get. PDF.js and the image formats come without a service; the
# others are off for want of a user or of a library in Buildroot (hyphen).
# libmanette would be found by chance: without gamepads it is not looked for.
VITRINE_WPEWEBKIT_CONF_OPTS += \
	-DENABLE_ENCRYPTED_MEDIA=OFF \
	-DENABLE_GAMEPAD=OFF \
	-DENABLE_PDFJS=ON \
	-DENABLE_SPEECH_SYNTHESIS=OFF \
	-DENABLE_SPELLCHECK=OFF \
	-DENABLE_WEB_RTC=OFF \
	-DENABLE_XSLT=ON \
	-DUSE_ATK=OFF \
	-DUSE_AVIF=ON \
	-DUSE_FLITE=OFF \
	-DUSE_LCMS=ON \
	-DUSE_LIBHYPHEN=OFF \
	-DUSE_SKIA=ON \
	-DUSE_SKIA_OPENTYPE_SVG=ON \
	-DUSE_SYSTEM_UNIFDEF=ON

# Turned off by CMake itself, in favour of FreeType's own, when FreeType was
# built with brotli: woff2 selects brotli, so that one of both is there.
VITRINE_WPEWEBKIT_CONF_OPTS += -DUSE_WOFF2=ON

# Not for choice: 2.54 does not compile without video.
VITRINE_WPEWEBKIT_CONF_OPTS += \
	-DUSE_GSTREAMER=ON \
	-DUSE_GSTREAMER_GL=ON \
	-DUSE_GSTREAMER_WEBRTC=OFF \
	-DENABLE_VIDEO=ON \
	-DENABLE_WEB_AUDIO=ON \
	-DENABLE_WEB_CODECS=ON

ifeq ($(BR2_PACKAGE_VITRINE_WPEWEBKIT_SANDBOX),y)
# Cross-compiled, the paths on the target cannot be found: they are told.
VITRINE_WPEWEBKIT_CONF_OPTS += \
	-DENABLE_BUBBLEWRAP_SANDBOX=ON \
	-DBWRAP_EXECUTABLE=/usr/bin/bwrap \
	-DDBUS_PROXY_EXECUTABLE=/usr/bin/xdg-dbus-proxy
VITRINE_WPEWEBKIT_DEPENDENCIES += libseccomp
else
VITRINE_WPEWEBKIT_CONF_OPTS += -DENABLE_BUBBLEWRAP_SANDBOX=OFF
endif

ifeq ($(BR2_PACKAGE_LIBBACKTRACE),y)
VITRINE_WPEWEBKIT_CONF_OPTS += -DUSE_LIBBACKTRACE=ON
VITRINE_WPEWEBKIT_DEPENDENCIES += libbacktrace
else
VITRINE_WPEWEBKIT_CONF_OPTS += -DUSE_LIBBACKTRACE=OFF
endif

ifeq ($(BR2_PACKAGE_LIBJXL),y)
VITRINE_WPEWEBKIT_CONF_OPTS += -DUSE_JPEGXL=ON
VITRINE_WPEWEBKIT_DEPENDENCIES += libjxl
else
VITRINE_WPEWEBKIT_CONF_OPTS += -DUSE_JPEGXL=OFF
endif

ifeq ($(BR2_PACKAGE_SYSTEMD),y)
VITRINE_WPEWEBKIT_CONF_OPTS += -DENABLE_JOURNALD_LOG=ON
VITRINE_WPEWEBKIT_DEPENDENCIES += systemd
else
VITRINE_WPEWEBKIT_CONF_OPTS += -DENABLE_JOURNALD_LOG=OFF
endif

$(eval $(cmake-package))
