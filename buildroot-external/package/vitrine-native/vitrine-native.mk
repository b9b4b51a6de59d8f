################################################################################
#
# vitrine-native
#
################################################################################

# inputs: native LICENSE

VITRINE_NATIVE_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_NATIVE_SITE = $(VITRINE_PROJECT_DIR)/native
VITRINE_NATIVE_SITE_METHOD = local
VITRINE_NATIVE_LICENSE = Apache-2.0
VITRINE_NATIVE_LICENSE_FILES = LICENSE
VITRINE_NATIVE_DEPENDENCIES = \
	host-pkgconf \
	gstreamer1 \
	libdrm \
	libevdev \
	libglib2 \
	libpng \
	libsoup3 \
	vitrine-wpewebkit \
	wayland
VITRINE_NATIVE_CONF_OPTS = -Draspberrypi=$(if $(BR2_PACKAGE_RPI_FIRMWARE),true,false)

# The license is in the project's root folder, outside of these sources.
VITRINE_NATIVE_POST_RSYNC_HOOKS += VITRINE_COPY_LICENSE

$(eval $(meson-package))
