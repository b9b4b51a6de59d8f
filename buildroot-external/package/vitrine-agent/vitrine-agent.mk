################################################################################
#
# vitrine-agent
#
################################################################################

# inputs: agent client ui package.json package-lock.json ci/build-agent.ts ci/agent ci/build-ui.ts ci/lib/problem.ts docs/openapi.yaml docs/asyncapi.yaml LICENSE

VITRINE_AGENT_VERSION = $(VITRINE_PROJECT_VERSION)
VITRINE_AGENT_SITE = $(VITRINE_PROJECT_DIR)
VITRINE_AGENT_SITE_METHOD = local
VITRINE_AGENT_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = \
	--exclude=/agent/dist --exclude=/agent/native-modules/node_modules --include=/agent/*** \
	--include=/client/*** --include=/ui/*** \
	--include=/ci --include=/ci/build-agent.ts --include=/ci/agent/*** --include=/ci/build-ui.ts \
	--include=/ci/lib --include=/ci/lib/problem.ts \
	--include=/docs --include=/docs/openapi.yaml --include=/docs/asyncapi.yaml \
	--include=/package.json --include=/package-lock.json --include=/LICENSE \
	--exclude=*
# Licenses of the agent and of the npm packages in its bundle; ci/buildroot/checks compares them with package-lock.json.
VITRINE_AGENT_LICENSE = \
	Apache-2.0, AFL-2.1 or BSD-3-Clause, BSD-2-Clause, BSD-3-Clause, BlueOak-1.0.0, \
	ISC, MIT, MIT or X11, MIT/X11, Unlicense
VITRINE_AGENT_LICENSE_FILES = LICENSE
# legal-info would archive all of the project's folder. Its sources are released as a whole.
VITRINE_AGENT_REDISTRIBUTE = NO
VITRINE_AGENT_DEPENDENCIES = host-nodejs host-pkgconf host-python3 libusb udev vitrine-nodejs

# The user of pcscd.service in overlay/. Debian's package creates it; Buildroot's has none.
define VITRINE_AGENT_USERS
	pcscd 903 pcscd 903 * - /usr/sbin/nologin - PC/SC daemon
endef

# Modules that the agent's reader program loads, beside the agent's folder.
VITRINE_AGENT_MODULES = $(dir $(VITRINE_AGENT_LOCATION))node_modules

# @lydell/node-pty contains only a prebuilt native module; the package node-pty contains its sources.
define VITRINE_AGENT_CONFIGURE_CMDS
	cd $(@D) && $(VITRINE_NPM_CI)
	cp -R $(VITRINE_AGENT_PKGDIR)/node-pty $(@D)
	cd $(@D)/node-pty && $(VITRINE_NPM_CI)
	cd $(@D)/agent/native-modules && $(VITRINE_NPM_CI)
endef

# Use the fortification level of Buildroot's configuration.
define VITRINE_AGENT_DROP_FORTIFY
	$(SED) "s/, '-D_FORTIFY_SOURCE=2'//" $(@D)/node-pty/node_modules/node-pty/binding.gyp
endef
VITRINE_AGENT_POST_CONFIGURE_HOOKS += VITRINE_AGENT_DROP_FORTIFY

# koffi has its own build tool, which finds no cross compiler: these are the files and definitions of its CMakeLists.txt.
VITRINE_AGENT_KOFFI_ABI = $(if $(BR2_aarch64),arm64,x64sysv)
VITRINE_AGENT_KOFFI_FLAGS = \
	-std=c++20 -fPIC -shared -s -w -fno-strict-aliasing -fno-delete-null-pointer-checks -fwrapv \
	-fno-exceptions -fno-rtti -fvisibility=hidden -Wl,-z,noexecstack \
	-D_FILE_OFFSET_BITS=64 -DFELIX_TARGET=koffi -DBUILDING_NODE_EXTENSION -DNODE_GYP_MODULE_NAME=koffi \
	-DNAPI_VERSION=NAPI_VERSION_EXPERIMENTAL -DNODE_ADDON_API_DISABLE_CPP_EXCEPTIONS \
	-DNODE_ADDON_API_REQUIRE_BASIC_FINALIZERS \
	-I. -I../.. -I../../vendor/node-addon-api -I../../vendor/node-api-headers/include -Itrampolines
define VITRINE_AGENT_BUILD_KOFFI
	cd $(@D)/node_modules/koffi/src/koffi && \
		$(HOST_DIR)/bin/node src/trampolines.cjs trampolines 8192 && \
		$(TARGET_CXX) $(TARGET_CXXFLAGS) $(VITRINE_AGENT_KOFFI_FLAGS) \
			-DVERSION=$$($(HOST_DIR)/bin/node -p 'require("../../package.json").version') \
			src/ffi.cc src/call.cc src/interp.cc src/parser.cc src/type.cc src/util.cc src/uv.cc \
			../../lib/native/base/base.cc src/abi/$(VITRINE_AGENT_KOFFI_ABI).cc \
			src/abi/$(VITRINE_AGENT_KOFFI_ABI)_asm.S -o koffi.node
endef

# Replaces the prebuilt modules of the npm packages by ones compiled here.
define VITRINE_AGENT_BUILD_CMDS
	cd $(@D)/node_modules/@serialport/bindings-cpp && $(VITRINE_NODE_GYP) rebuild
	cd $(@D)/node_modules/node-hid && $(VITRINE_NODE_GYP) rebuild --driver=hidraw
	cd $(@D)/node_modules/usb && $(VITRINE_NODE_GYP) rebuild --use_system_libusb=true
	cd $(@D)/node-pty/node_modules/node-pty && $(VITRINE_NODE_GYP) rebuild
	cd $(@D)/agent/native-modules/node_modules/i2c-bus && $(VITRINE_NODE_GYP) rebuild
	cd $(@D)/agent/native-modules/node_modules/spi-device && $(VITRINE_NODE_GYP) rebuild
	$(VITRINE_AGENT_BUILD_KOFFI)
	$(HOST_MAKE_ENV) $(HOST_DIR)/bin/node $(@D)/ci/build-agent.ts
	cd $(@D)/agent/dist/node_modules && \
		rm -rf @lydell/node-pty-linux-* @koromix \
			$(foreach package,@serialport/bindings-cpp node-hid usb,$(package)/prebuilds $(package)/build) && \
		$(INSTALL) -D -m 0755 $(@D)/node_modules/@serialport/bindings-cpp/build/Release/bindings.node \
			@serialport/bindings-cpp/build/Release/bindings.node && \
		$(INSTALL) -D -m 0755 $(@D)/node_modules/node-hid/build/Release/HID_hidraw.node \
			node-hid/build/Release/HID_hidraw.node && \
		$(INSTALL) -D -m 0755 $(@D)/node_modules/usb/build/Release/usb_bindings.node \
			usb/build/Release/usb_bindings.node && \
		$(INSTALL) -D -m 0755 $(@D)/node-pty/node_modules/node-pty/build/Release/pty.node \
			@lydell/node-pty-linux-$(VITRINE_NODEJS_CPU)/pty.node && \
		$(INSTALL) -D -m 0755 $(@D)/node_modules/koffi/src/koffi/koffi.node \
			@koromix/koffi-linux-$(VITRINE_NODEJS_CPU)/koffi.node && \
		echo '{ "main": "koffi.node" }' >@koromix/koffi-linux-$(VITRINE_NODEJS_CPU)/package.json
endef

define VITRINE_AGENT_INSTALL_TARGET_CMDS
	mkdir -p $(TARGET_DIR)$(VITRINE_AGENT_LOCATION)
	cp -dR $(@D)/agent/dist/. $(TARGET_DIR)$(VITRINE_AGENT_LOCATION)
	$(foreach package,i2c-bus spi-device bindings file-uri-to-path,\
		mkdir -p $(TARGET_DIR)$(VITRINE_AGENT_MODULES)/$(package)$(sep)\
		cp $(@D)/agent/native-modules/node_modules/$(package)/*.js* \
			$(TARGET_DIR)$(VITRINE_AGENT_MODULES)/$(package)$(sep))
	$(foreach module,i2c-bus/build/Release/i2c.node spi-device/build/Release/spi.node,\
		$(INSTALL) -D -m 0755 $(@D)/agent/native-modules/node_modules/$(module) \
			$(TARGET_DIR)$(VITRINE_AGENT_MODULES)/$(module)$(sep))
endef

VITRINE_AGENT_POST_LEGAL_INFO_HOOKS += VITRINE_NPM_LICENSES

$(eval $(generic-package))
