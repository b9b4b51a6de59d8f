################################################################################
#
# vitrine-agent
#
################################################################################

# inputs: agent package.json package-lock.json ci/build-agent.ts ci/agent docs/openapi.yaml LICENSE

VITRINE_AGENT_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_AGENT_SITE = $(VITRINE_PROJECT_DIR)
VITRINE_AGENT_SITE_METHOD = local
VITRINE_AGENT_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = \
	--exclude=/agent/dist --include=/agent/*** \
	--include=/ci --include=/ci/build-agent.ts --include=/ci/agent/*** \
	--include=/docs --include=/docs/openapi.yaml \
	--include=/package.json --include=/package-lock.json --include=/LICENSE \
	--exclude=*
# Licenses of the agent and of the npm packages in its bundle; ci/buildroot/checks compares them with package-lock.json.
VITRINE_AGENT_LICENSE = \
	Apache-2.0, AFL-2.1 or BSD-3-Clause, BSD-2-Clause, BSD-3-Clause, BlueOak-1.0.0, \
	ISC, MIT, MIT/X11, Unlicense
VITRINE_AGENT_LICENSE_FILES = LICENSE
# legal-info would archive all of the project's folder. Its sources are released as a whole.
VITRINE_AGENT_REDISTRIBUTE = NO
VITRINE_AGENT_DEPENDENCIES = host-nodejs host-python3 vitrine-nodejs

# @lydell/node-pty contains only a prebuilt native module; the package node-pty contains its sources.
define VITRINE_AGENT_CONFIGURE_CMDS
	cd $(@D) && $(VITRINE_NPM_CI)
	cp -R $(VITRINE_AGENT_PKGDIR)/node-pty $(@D)
	cd $(@D)/node-pty && $(VITRINE_NPM_CI)
endef

# Use the fortification level of Buildroot's configuration.
define VITRINE_AGENT_DROP_FORTIFY
	$(SED) "s/, '-D_FORTIFY_SOURCE=2'//" $(@D)/node-pty/node_modules/node-pty/binding.gyp
endef
VITRINE_AGENT_POST_CONFIGURE_HOOKS += VITRINE_AGENT_DROP_FORTIFY

# Replaces the prebuilt modules of the npm packages by ones compiled here.
define VITRINE_AGENT_BUILD_CMDS
	cd $(@D)/node_modules/@serialport/bindings-cpp && $(VITRINE_NODE_GYP) rebuild
	cd $(@D)/node-pty/node_modules/node-pty && $(VITRINE_NODE_GYP) rebuild
	$(HOST_MAKE_ENV) $(HOST_DIR)/bin/node $(@D)/ci/build-agent.ts
	cd $(@D)/agent/dist/node_modules && \
		rm -rf @lydell/node-pty-linux-* @serialport/bindings-cpp/prebuilds @serialport/bindings-cpp/build && \
		$(INSTALL) -D -m 0755 $(@D)/node_modules/@serialport/bindings-cpp/build/Release/bindings.node \
			@serialport/bindings-cpp/build/Release/bindings.node && \
		$(INSTALL) -D -m 0755 $(@D)/node-pty/node_modules/node-pty/build/Release/pty.node \
			@lydell/node-pty-linux-$(VITRINE_NODEJS_CPU)/pty.node
endef

define VITRINE_AGENT_INSTALL_TARGET_CMDS
	mkdir -p $(TARGET_DIR)$(VITRINE_AGENT_LOCATION)
	cp -dR $(@D)/agent/dist/. $(TARGET_DIR)$(VITRINE_AGENT_LOCATION)
endef

VITRINE_AGENT_POST_LEGAL_INFO_HOOKS += VITRINE_NPM_LICENSES

$(eval $(generic-package))
