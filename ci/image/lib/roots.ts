import type { PackageConf } from './conf.ts';
import type { PackageStore } from './packages.ts';
import { run } from './run.ts';

/** Documentation, translations and data that nothing on the device opens. */
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
  /** Seconds since 1970 that every file is at most dated. */
  epoch: number;
}

/** Makes a root filesystem from fetched packages, without network. Same packages and epoch, same bytes. */
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
      // Nothing of a half-made root is ever used, so no write has to wait for the disk.
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
      // INITRD=No: the kernel package asks for no initramfs, ours is made by board/common.
      env: { SOURCE_DATE_EPOCH: String(options.epoch), INITRD: 'No', DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMinutes: 60,
    },
  );
}
