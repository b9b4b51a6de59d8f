import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A tree that behaves like Buildroot as far as the builder can see: it accepts a configuration, lists three packages, and
 * "builds" them with the same output lines and stamps. Files in it simulate failures: `fail` names a package that does
 * not compile, `hang` one whose build never ends (its log says "hanging"), and with `offline` all downloads fail.
 */
export function fakeBuildroot(folder: string, version = '2026.02.3'): string {
  const put = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  put('Makefile', MAKEFILE.replace('@VERSION@', version));
  put('build.mk', BUILD);
  put('step.sh', STEP);
  put('support/kconfig/merge_config.sh', MERGE);
  put('utils/generate-cyclonedx', CYCLONEDX);
  for (const script of ['step.sh', 'support/kconfig/merge_config.sh', 'utils/generate-cyclonedx'])
    chmodSync(join(folder, script), 0o755);
  return folder;
}

const CYCLONEDX = `#!/bin/sh
echo "$2 $4 $6" >"$8"
`;

const MERGE = `#!/bin/sh
while [ "$1" != -m ]; do shift; done
shift
cat "$@" >"$KCONFIG_CONFIG"
`;

const MAKEFILE = `export BR2_VERSION := @VERSION@

alldefconfig:
	@cp $(KCONFIG_ALLCONFIG) $(O)/.config
	@printf 'TREE = %s\\nO = %s\\ninclude %s/build.mk\\n' $(CURDIR) $(O) $(CURDIR) >$(O)/Makefile
`;

const BUILD = `MAKEFLAGS += --no-print-directory
PACKAGES = host-tool=1.2 linux=6.12 vitrine-agent=0.1
name = $(firstword $(subst =, ,$(1)))
folder = $(O)/build/$(subst =,-,$(1))

all: $(foreach p,$(PACKAGES),$(call folder,$(p))/.stamp_installed)
	@echo '>>>   Finalizing target directory'
	@mkdir -p $(O)/images && echo "$(VITRINE_VERSION) $(SOURCE_DATE_EPOCH) $(BR2_JLEVEL)" >$(O)/images/disk.img
	@echo '>>>   Executing post-image script post-image.sh'

source: $(foreach p,$(PACKAGES),$(call folder,$(p))/.stamp_downloaded)

define PACKAGE
$(call folder,$(1))/.stamp_downloaded $(call folder,$(1))/.stamp_extracted $(call folder,$(1))/.stamp_patched $(call folder,$(1))/.stamp_installed:
	@$(TREE)/step.sh $(TREE) $(subst =, ,$(1)) $$@
$(call folder,$(1))/.stamp_extracted: $(call folder,$(1))/.stamp_downloaded
$(call folder,$(1))/.stamp_patched: $(call folder,$(1))/.stamp_extracted
$(call folder,$(1))/.stamp_installed: $(call folder,$(1))/.stamp_patched
$(call name,$(1))-dirclean:
	rm -rf $(call folder,$(1))
endef
$(foreach p,$(PACKAGES),$(eval $(call PACKAGE,$(p))))

clean:
	rm -rf $(O)/build $(O)/images

comma = ,
show-info:
	@echo '{ $(foreach p,$(PACKAGES),"$(call name,$(p))": {"type": "target"$(comma) "stamp_dir": "build/$(subst =,-,$(p))"}$(comma)) "rootfs-ext2": {"type": "rootfs"} }'
`;

const STEP = `#!/bin/sh
# step.sh TREE NAME VERSION STAMP
tree=$1 name=$2 version=$3 stamp=$4
is() { [ -f "$tree/$1" ] && [ "$(cat "$tree/$1")" = "$name" ]; }
say() { printf '\\033[7m>>> %s %s %s\\033[27m\\n' "$name" "$version" "$1"; }
mkdir -p "$(dirname "$stamp")"
case $stamp in
    *_downloaded)
        say Downloading
        if [ -f "$tree/offline" ]; then
            echo "wget -nd -t 3 -O '/x/output' 'https://sources.buildroot.net/$name/$name-$version.tar.xz' "
            echo 'wget: unable to resolve host address ‘sources.buildroot.net’'
            exit 1
        fi
        ;;
    *_extracted) say Extracting ;;
    *_patched) say Patching ;;
    *_installed)
        say Configuring
        say Building
        if is hang; then
            echo hanging
            echo $$ >"$tree/hanging"
            exec sleep 600
        fi
        if is fail; then
            echo 'main.c:1:1: error: something is wrong'
            exit 1
        fi
        say 'Installing to target'
        ;;
esac
touch "$stamp"
`;
