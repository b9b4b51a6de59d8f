################################################################################
#
# vitrine-node-pty
#
################################################################################

# The version of @lydell/node-pty in package-lock.json, which is node-pty's own.
VITRINE_NODE_PTY_VERSION = 1.1.0
VITRINE_NODE_PTY_SITE = https://registry.npmjs.org/node-pty/-
VITRINE_NODE_PTY_SOURCE = node-pty-$(VITRINE_NODE_PTY_VERSION).tgz
# Headers only.
VITRINE_NODE_PTY_ADDON_API = node-addon-api-7.1.1.tgz
VITRINE_NODE_PTY_EXTRA_DOWNLOADS = \
	https://registry.npmjs.org/node-addon-api/-/$(VITRINE_NODE_PTY_ADDON_API)
VITRINE_NODE_PTY_LICENSE = MIT
VITRINE_NODE_PTY_LICENSE_FILES = LICENSE
VITRINE_NODE_PTY_DEPENDENCIES = host-nodejs host-python3 vitrine-nodejs

define VITRINE_NODE_PTY_EXTRACT_ADDON_API
	mkdir -p $(@D)/node_modules/node-addon-api
	$(TAR) -xf $(VITRINE_NODE_PTY_DL_DIR)/$(VITRINE_NODE_PTY_ADDON_API) \
		--strip-components=1 -C $(@D)/node_modules/node-addon-api
endef
VITRINE_NODE_PTY_POST_EXTRACT_HOOKS += VITRINE_NODE_PTY_EXTRACT_ADDON_API

# The level of fortification is the configuration's.
define VITRINE_NODE_PTY_DROP_FORTIFY
	$(SED) "s/, '-D_FORTIFY_SOURCE=2'//" $(@D)/binding.gyp
endef
VITRINE_NODE_PTY_POST_PATCH_HOOKS += VITRINE_NODE_PTY_DROP_FORTIFY

define VITRINE_NODE_PTY_BUILD_CMDS
	cd $(@D) && $(VITRINE_NODE_GYP) rebuild
endef

define VITRINE_NODE_PTY_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 0755 $(@D)/build/Release/pty.node \
		$(TARGET_DIR)$(VITRINE_AGENT_LOCATION)/node_modules/@lydell/node-pty-linux-$(VITRINE_NODEJS_CPU)/pty.node
endef

$(eval $(generic-package))
