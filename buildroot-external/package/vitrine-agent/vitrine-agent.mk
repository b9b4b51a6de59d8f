################################################################################
#
# vitrine-agent
#
################################################################################

# inputs: agent package.json package-lock.json ci/build-agent.ts LICENSE

VITRINE_AGENT_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_AGENT_SITE = $(VITRINE_PROJECT_DIR)
VITRINE_AGENT_SITE_METHOD = local
VITRINE_AGENT_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = \
	--exclude=/agent/dist --include=/agent/*** \
	--include=/ci --include=/ci/build-agent.ts \
	--include=/package.json --include=/package-lock.json --include=/LICENSE \
	--exclude=*
# Of the npm packages that the bundle contains, too; ci/buildroot compares it with package-lock.json.
VITRINE_AGENT_LICENSE = Apache-2.0, MIT, ISC, BSD-2-Clause, BSD-3-Clause
VITRINE_AGENT_LICENSE_FILES = LICENSE
# legal-info would archive all of the project's folder. Its sources are released as a whole.
VITRINE_AGENT_REDISTRIBUTE = NO
VITRINE_AGENT_DEPENDENCIES = host-nodejs host-python3 vitrine-node-pty vitrine-nodejs

# package-lock.json pins each npm package by its checksum; what was fetched once stays among Buildroot's downloads.
define VITRINE_AGENT_CONFIGURE_CMDS
	cd $(@D) && $(HOST_MAKE_ENV) $(HOST_DIR)/bin/npm ci --ignore-scripts --no-audit --no-fund \
		--prefer-offline --cache=$(VITRINE_AGENT_DL_DIR)/npm
endef

# The compiled binding stands in for the ones that its npm package carries, and so does vitrine-node-pty's.
define VITRINE_AGENT_BUILD_CMDS
	cd $(@D)/node_modules/@serialport/bindings-cpp && $(VITRINE_NODE_GYP) rebuild
	$(HOST_MAKE_ENV) $(HOST_DIR)/bin/node $(@D)/ci/build-agent.ts
	cd $(@D)/agent/dist/node_modules && \
		rm -rf @lydell/node-pty-linux-* @serialport/bindings-cpp/prebuilds @serialport/bindings-cpp/build && \
		$(INSTALL) -D -m 0755 $(@D)/node_modules/@serialport/bindings-cpp/build/Release/bindings.node \
			@serialport/bindings-cpp/build/Release/bindings.node
endef

define VITRINE_AGENT_INSTALL_TARGET_CMDS
	mkdir -p $(TARGET_DIR)$(VITRINE_AGENT_LOCATION)
	cp -dR $(@D)/agent/dist/. $(TARGET_DIR)$(VITRINE_AGENT_LOCATION)
endef

# What asks the Raspberry Pi's firmware for the health report.
ifeq ($(BR2_PACKAGE_RPI_FIRMWARE),y)
define VITRINE_AGENT_BUILD_THROTTLED
	$(TARGET_CC) $(TARGET_CFLAGS) $(TARGET_LDFLAGS) -o $(@D)/vitrine-throttled \
		$(@D)/agent/raspberrypi/vitrine-throttled.c
endef
VITRINE_AGENT_POST_BUILD_HOOKS += VITRINE_AGENT_BUILD_THROTTLED

define VITRINE_AGENT_INSTALL_THROTTLED
	$(INSTALL) -D -m 0755 $(@D)/vitrine-throttled $(TARGET_DIR)/usr/bin/vitrine-throttled
endef
VITRINE_AGENT_POST_INSTALL_TARGET_HOOKS += VITRINE_AGENT_INSTALL_THROTTLED
endif

# The texts of the licenses of the npm packages, beside the agent's own.
define VITRINE_AGENT_NPM_LICENSES
	cd $(@D) && for package in `$(HOST_DIR)/bin/npm query --package-lock-only .prod | \
			sed -n 's/^ *"location": "\(.\+\)",$$/\1/p'`; do \
		for file in $$package/LICEN[CS]E*; do \
			[ ! -f "$$file" ] || $(INSTALL) -D -m 0644 "$$file" $(LICENSES_DIR)/vitrine-agent-$(VITRINE_AGENT_VERSION)/$$file; \
		done; \
	done
endef
VITRINE_AGENT_POST_LEGAL_INFO_HOOKS += VITRINE_AGENT_NPM_LICENSES

$(eval $(generic-package))
