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

# The port does not support other generators.
VITRINE_WPEWEBKIT_CMAKE_BACKEND = ninja

# Buildroot's compiler wrapper calls ccache; WebKit must not call it again.
VITRINE_WPEWEBKIT_CONF_ENV = WK_USE_CCACHE=NO

# All public options of Source/cmake/OptionsWPE.cmake and its includes are set,
# so that no feature depends on which libraries happen to be in staging.

# Display: WPEPlatform on Wayland.
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

# Features that neither the device nor its developers need.
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

# Features for pages. PDF.js and the image formats need no service; others are
# off because they are not needed or Buildroot lacks a library (hyphen).
# Without gamepads CMake does not search for libmanette.
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

# CMake turns this off in favour of FreeType's own support when FreeType is
# built with brotli. woff2 selects brotli, so one of both is available.
VITRINE_WPEWEBKIT_CONF_OPTS += -DUSE_WOFF2=ON

# Not optional: 2.54 does not compile without video.
VITRINE_WPEWEBKIT_CONF_OPTS += \
	-DUSE_GSTREAMER=ON \
	-DUSE_GSTREAMER_GL=ON \
	-DUSE_GSTREAMER_WEBRTC=OFF \
	-DENABLE_VIDEO=ON \
	-DENABLE_WEB_AUDIO=ON \
	-DENABLE_WEB_CODECS=ON

ifeq ($(BR2_PACKAGE_VITRINE_WPEWEBKIT_SANDBOX),y)
# When cross-compiling, the paths on the target cannot be detected.
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
