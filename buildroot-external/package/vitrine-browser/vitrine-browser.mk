################################################################################
#
# vitrine-browser
#
################################################################################

# inputs: browser LICENSE

VITRINE_BROWSER_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_BROWSER_SITE = $(VITRINE_PROJECT_DIR)/browser
VITRINE_BROWSER_SITE_METHOD = local
VITRINE_BROWSER_LICENSE = Apache-2.0
VITRINE_BROWSER_LICENSE_FILES = LICENSE
VITRINE_BROWSER_DEPENDENCIES = \
	host-pkgconf \
	fontconfig \
	freetype \
	json-glib \
	libpng \
	libsoup3 \
	sqlite \
	vitrine-wpewebkit \
	wayland

# The license is in the project's root folder, outside of these sources.
VITRINE_BROWSER_POST_RSYNC_HOOKS += VITRINE_COPY_LICENSE

$(eval $(meson-package))
