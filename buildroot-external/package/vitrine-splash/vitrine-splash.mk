################################################################################
#
# vitrine-splash
#
################################################################################

# inputs: splash LICENSE

VITRINE_SPLASH_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_SPLASH_SITE = $(VITRINE_PROJECT_DIR)/splash
VITRINE_SPLASH_SITE_METHOD = local
VITRINE_SPLASH_LICENSE = Apache-2.0
VITRINE_SPLASH_LICENSE_FILES = LICENSE
VITRINE_SPLASH_DEPENDENCIES = host-pkgconf libdrm libpng

# The license is in the project's root folder, outside of these sources.
VITRINE_SPLASH_POST_RSYNC_HOOKS += VITRINE_COPY_LICENSE

$(eval $(meson-package))
