import type { PackageConf } from './conf.ts';
import type { PackageStore } from './packages.ts';
import { run } from './run.ts';

/** Documentation, translations and data that no program on the device uses. */
const EXCLUDED = [
  '/usr/share/man/*',
  '/usr/share/doc/*',
  '/usr/share/info/*',
  '/usr/share/lintian/*',
  '/usr/share/bug/*',
  '/usr/share/locale/*',
  '/usr/share/i18n/*',
  '/usr/share/help/*',
  '/usr/share/gtk-doc/*',
  '/usr/share/bash-completion/*',
  '/usr/share/zsh/*',
  '/usr/share/iso-codes/*',
  '/usr/share/xml/iso-codes/*',
  '/usr/libexec/glycin-loaders/*',
];

export interface RootOptions {
  conf: PackageConf;
  store: PackageStore;
  packages: string[];
  /** Folder to make. */
  target: string;
  /** Latest timestamp of all files, in seconds since 1970. */
  epoch: number;
}

/** Builds a root filesystem from downloaded packages, without network. Reproducible for the same packages and epoch. */
export async function makeRoot(options: RootOptions): Promise<void> {
  const { conf, store } = options;
  await run(
    'mmdebstrap',
    [
      '--mode=root',
      '--format=directory',
      '--variant=essential',
      `--architectures=${conf.architecture}`,
      '--skip=update',
      ...EXCLUDED.map((path) => `--dpkgopt=path-exclude=${path}`),
      // An incomplete root is never used, so dpkg need not flush its writes to the disk.
      '--dpkgopt=force-unsafe-io',
      '--aptopt=APT::Install-Recommends "false"',
      '--aptopt=Acquire::Languages "none"',
      '--aptopt=APT::Sandbox::User "root"',
      `--include=${options.packages.join(',')}`,
      `--setup-hook=mkdir -p "$1/var/lib/apt/lists" "$1/var/cache/apt/archives"`,
      `--setup-hook=cp -p '${store.lists}'/*_* "$1/var/lib/apt/lists/"`,
      `--setup-hook=cp -l '${store.archives}'/*.deb "$1/var/cache/apt/archives/" || cp '${store.archives}'/*.deb "$1/var/cache/apt/archives/"`,
      conf.suite,
      options.target,
      store.source,
    ],
    {
      // INITRD=No: the kernel package must not build an initramfs; board/common builds ours.
      env: { SOURCE_DATE_EPOCH: String(options.epoch), INITRD: 'No', DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMinutes: 60,
      // mmdebstrap mounts /proc, /sys and /dev in the root.
      isolated: true,
    },
  );
}
