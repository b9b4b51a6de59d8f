################################################################################
#
# vitrine-libproxy
#
################################################################################

VITRINE_LIBPROXY_VERSION = 0.5.12
VITRINE_LIBPROXY_SOURCE = libproxy-$(VITRINE_LIBPROXY_VERSION).tar.gz
VITRINE_LIBPROXY_SITE = $(call github,libproxy,libproxy,$(VITRINE_LIBPROXY_VERSION))
VITRINE_LIBPROXY_LICENSE = LGPL-2.1+
VITRINE_LIBPROXY_LICENSE_FILES = COPYING
VITRINE_LIBPROXY_CPE_ID_VENDOR = libproxy_project
VITRINE_LIBPROXY_CPE_ID_PRODUCT = libproxy
VITRINE_LIBPROXY_DEPENDENCIES = duktape host-pkgconf libcurl libglib2

# The browser gives it the script's address in the environment.
VITRINE_LIBPROXY_CONF_OPTS = \
	-Dconfig-env=true \
	-Dconfig-gnome=false \
	-Dconfig-kde=false \
	-Dconfig-sysconfig=false \
	-Dconfig-xdp=false \
	-Dcurl=true \
	-Ddocs=false \
	-Dintrospection=false \
	-Dpacrunner-duktape=true \
	-Drelease=true \
	-Dtests=false \
	-Dvapi=false

$(eval $(meson-package))
