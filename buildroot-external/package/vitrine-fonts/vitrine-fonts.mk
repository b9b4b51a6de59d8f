################################################################################
#
# vitrine-fonts
#
################################################################################

# inputs: LICENSE

VITRINE_FONTS_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_FONTS_SITE = $(BR2_EXTERNAL_VITRINE_PATH)/package/vitrine-fonts/npm
VITRINE_FONTS_SITE_METHOD = local
# Of this recipe, and of the npm packages and their fonts.
VITRINE_FONTS_LICENSE = Apache-2.0, MIT, OFL-1.1
VITRINE_FONTS_LICENSE_FILES = LICENSE
VITRINE_FONTS_DEPENDENCIES = host-nodejs

# The license is in the project's root folder, outside of these sources.
VITRINE_FONTS_POST_RSYNC_HOOKS += VITRINE_COPY_LICENSE

define VITRINE_FONTS_CONFIGURE_CMDS
	cd $(@D) && $(VITRINE_NPM_CI)
endef

define VITRINE_FONTS_INSTALL_TARGET_CMDS
	mkdir -p $(TARGET_DIR)/usr/share/fonts/vitrine
	$(INSTALL) -m 0644 -t $(TARGET_DIR)/usr/share/fonts/vitrine \
		$(@D)/node_modules/@expo-google-fonts/*/*/*_400Regular.ttf \
		$(@D)/node_modules/@expo-google-fonts/*/*/*_700Bold.ttf \
		$(@D)/node_modules/twemoji-colr-font/twemoji.woff2
endef

VITRINE_FONTS_POST_LEGAL_INFO_HOOKS += VITRINE_NPM_LICENSES

$(eval $(generic-package))
