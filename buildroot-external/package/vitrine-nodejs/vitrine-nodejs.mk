################################################################################
#
# vitrine-nodejs
#
################################################################################

# The version that package.json of the project develops and tests with. Even
# series get long-term support.
VITRINE_NODEJS_VERSION = 24.21.0
VITRINE_NODEJS_SITE = https://nodejs.org/dist/v$(VITRINE_NODEJS_VERSION)
VITRINE_NODEJS_SOURCE = node-v$(VITRINE_NODEJS_VERSION).tar.xz
VITRINE_NODEJS_INSTALL_STAGING = YES
VITRINE_NODEJS_LICENSE = \
	MIT (Node.js), MIT, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, \
	Unicode-3.0, Zlib (bundled components)
VITRINE_NODEJS_LICENSE_FILES = LICENSE
VITRINE_NODEJS_CPE_ID_VENDOR = nodejs
VITRINE_NODEJS_CPE_ID_PRODUCT = node.js

# Shared libraries are used where fixes must not wait for a Node release and
# where Buildroot has the library for the host, too: gyp links the host's
# programs with the same list. The others are Node's own copies, some newer
# than Buildroot's (libuv), some without a counterpart there.
VITRINE_NODEJS_DEPENDENCIES = \
	host-icu \
	host-libopenssl \
	host-pkgconf \
	host-python3 \
	host-zlib \
	icu \
	openssl \
	zlib

VITRINE_NODEJS_CPU = $(if $(BR2_aarch64),arm64,x64)

# Explicitly cross-compiling, even if host and target have the same
# architecture: otherwise gyp would run programs linked with the target's C
# library. Therefore Node's startup snapshot and code cache, which only a node
# of the target could write, are left out; V8's own snapshot is included.
VITRINE_NODEJS_CONF_OPTS = \
	--prefix=/usr \
	--dest-os=linux \
	--dest-cpu=$(VITRINE_NODEJS_CPU) \
	--cross-compiling \
	--without-node-snapshot \
	--without-npm \
	--without-corepack \
	--without-inspector \
	--with-intl=system-icu \
	--shared-openssl \
	--shared-zlib

# Environment of gyp's makefiles, for the target and for the programs of the
# host (torque, mksnapshot and others).
VITRINE_NODEJS_ENV = \
	$(TARGET_CONFIGURE_OPTS) \
	PATH=$(@D)/out/tools/bin:$(BR_PATH) \
	AR_host="$(HOSTAR)" \
	CC_host="$(HOSTCC)" \
	CXX_host="$(HOSTCXX)" \
	CFLAGS_host="$(HOST_CFLAGS)" \
	CPPFLAGS_host="$(HOST_CPPFLAGS)" \
	CXXFLAGS_host="$(HOST_CXXFLAGS)" \
	LDFLAGS_host="$(HOST_LDFLAGS)"

# Buildroot's pkg-config keeps -L with the staging folder. configure.py would
# give it to the linker of the host's programs too, which then finds the
# target's C library where both have one architecture.
VITRINE_NODEJS_PKG_CONFIG_ENV = \
	PKG_CONFIG="$(HOST_DIR)/bin/pkgconf" \
	PKG_CONFIG_LIBDIR="$(STAGING_DIR)/usr/lib/pkgconfig:$(STAGING_DIR)/usr/share/pkgconfig" \
	PKG_CONFIG_SYSROOT_DIR="$(STAGING_DIR)" \
	PKG_CONFIG_SYSTEM_INCLUDE_PATH="$(STAGING_DIR)/usr/include" \
	PKG_CONFIG_SYSTEM_LIBRARY_PATH="$(STAGING_DIR)/usr/lib"

# Makefiles, not ninja files: with two toolsets those contain two rules for the
# same file.
define VITRINE_NODEJS_CONFIGURE_CMDS
	cd $(@D) && $(VITRINE_NODEJS_ENV) $(VITRINE_NODEJS_PKG_CONFIG_ENV) \
		$(HOST_DIR)/bin/python3 configure.py $(VITRINE_NODEJS_CONF_OPTS)
endef

define VITRINE_NODEJS_BUILD_CMDS
	$(VITRINE_NODEJS_ENV) $(MAKE) -C $(@D)/out BUILDTYPE=Release node
endef

# Only the headers for compiling modules.
define VITRINE_NODEJS_INSTALL_STAGING_CMDS
	cd $(@D) && $(HOST_DIR)/bin/python3 tools/install.py install \
		--headers-only --dest-dir $(STAGING_DIR) --prefix /usr
endef

define VITRINE_NODEJS_INSTALL_TARGET_CMDS
	$(INSTALL) -D -m 0755 $(@D)/out/Release/node $(TARGET_DIR)/usr/bin/node
endef

# configure.py is Node's own script, not autotools.
$(eval $(generic-package))
