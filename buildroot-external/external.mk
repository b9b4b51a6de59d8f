# The project that contains this tree: overlay/, board/, the sources of agent, browser and native programs.
VITRINE_PROJECT_DIR = $(realpath $(BR2_EXTERNAL_VITRINE_PATH)/..)

# Environment variables for board/common/post-build.sh.
VITRINE_PROJECT_VERSION := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' $(VITRINE_PROJECT_DIR)/package.json)
export VITRINE_VERSION ?= $(or $(call qstrip,$(BR2_VITRINE_VERSION)),$(VITRINE_PROJECT_VERSION))
export VITRINE_KEYRING ?= $(call qstrip,$(BR2_VITRINE_KEYRING))

# Kconfig silently drops symbols: fail if the kernel or U-Boot lacks a value of its fragments.
define VITRINE_CHECK_LINUX_CONFIG
	$(VITRINE_PROJECT_DIR)/board/common/check-config.sh $(@D)/.config $(LINUX_KCONFIG_FRAGMENT_FILES)
endef
LINUX_POST_CONFIGURE_HOOKS += VITRINE_CHECK_LINUX_CONFIG
define VITRINE_CHECK_UBOOT_CONFIG
	$(VITRINE_PROJECT_DIR)/board/common/check-config.sh $(@D)/.config $(UBOOT_KCONFIG_FRAGMENT_FILES)
endef
UBOOT_POST_CONFIGURE_HOOKS += VITRINE_CHECK_UBOOT_CONFIG

# Copies the license for legal-info, for packages whose sources are a folder of the project.
define VITRINE_COPY_LICENSE
	cp $(VITRINE_PROJECT_DIR)/LICENSE $(@D)/LICENSE
endef

# Installs the npm packages of a package-lock.json, which pins each by its checksum. Downloads are cached in Buildroot's
# download folder. The options override settings of an npm under which Buildroot may run.
VITRINE_NPM_CI = \
	$(HOST_MAKE_ENV) $(HOST_DIR)/bin/npm ci --ignore-scripts --no-audit --no-fund \
	--loglevel=notice --include=dev --prefer-offline --cache=$(DL_DIR)/vitrine-npm

# Adds the licenses of the npm packages, if they have been installed.
define VITRINE_NPM_LICENSES
	for part in . node-pty agent/native-modules; do \
		[ ! -d $($(PKG)_DIR)/$$part/node_modules ] || \
			PATH=$(BR_PATH) $(BR2_EXTERNAL_VITRINE_PATH)/npm-licenses.sh $($(PKG)_DIR)/$$part \
				$(LICENSE_FILES_DIR_TARGET)/$($(PKG)_BASENAME_RAW) || exit 1; \
	done
endef

# The agent's folder on the device.
VITRINE_AGENT_LOCATION = /usr/lib/vitrine/agent

# node-gyp, for the target and against the headers of its Node.
VITRINE_NODE_GYP = \
	$(TARGET_MAKE_ENV) $(TARGET_CONFIGURE_OPTS) LD="$(TARGET_CXX)" \
	PYTHON=$(HOST_DIR)/bin/python3 npm_config_nodedir=$(STAGING_DIR)/usr npm_config_arch=$(VITRINE_NODEJS_CPU) \
	$(HOST_DIR)/bin/node $(HOST_DIR)/lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js

include $(sort $(wildcard $(BR2_EXTERNAL_VITRINE_PATH)/package/*/*.mk))
