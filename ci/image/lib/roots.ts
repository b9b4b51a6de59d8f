import type { PackageConf } from './conf.ts';
import type { PackageStore } from './packages.ts';
import { run } from './run.ts';

/** Folders whose content no program on the device uses, as patterns: documentation, translations and data. */
const EXCLUDED = [
  'usr/share/man',
  'usr/share/doc',
  'usr/share/info',
  'usr/share/lintian',
  'usr/share/bug',
  'usr/share/locale',
  'usr/share/i18n',
  'usr/share/help',
  'usr/share/gtk-doc',
  'usr/share/bash-completion',
  'usr/share/zsh',
  'usr/share/iso-codes',
  'usr/share/zoneinfo/right',
  'usr/share/xml/iso-codes',
  'usr/libexec/glycin-loaders',
  // parts/kernel-modules.sh has those that the device uses.
  'usr/lib/modules/*/kernel',
];

/**
 * Programs that the packages' scripts call and whose results are not used: the image's units are enabled by presets, its
 * module index is made by assemble.sh.
 */
const SKIPPED_PROGRAMS = ['deb-systemd-helper', 'depmod'];

export interface RootOptions {
  conf: PackageConf;
  store: PackageStore;
  packages: string[];
  /** Unpack the packages only, without running their scripts. */
  unpackOnly?: boolean;
  /** Added to the niceness of the programs. */
  nice?: number;
  /** With `unpackOnly`: packages left out although others depend on them, as patterns of their files without `.deb`. */
  absent?: string[];
  /** With `unpackOnly`: more files to leave out, as patterns. */
  unused?: string[];
  /** Folder to make. */
  target: string;
  /** Latest timestamp of all files, in seconds since 1970. */
  epoch: number;
}

/** Builds a root filesystem from downloaded packages, without network. Reproducible for the same packages and epoch. */
export async function makeRoot(options: RootOptions): Promise<void> {
  const { conf, store } = options;
  await run(
    'nice',
    [
      ...['-n', String(options.nice ?? 0), 'mmdebstrap'],
      '--mode=root',
      '--format=directory',
      `--variant=${options.unpackOnly ? 'extract' : 'essential'}`,
      `--architectures=${conf.architecture}`,
      '--skip=update',
      // An incomplete root is never used, so dpkg need not flush its writes to the disk.
      '--dpkgopt=force-unsafe-io',
      '--aptopt=APT::Install-Recommends "false"',
      '--aptopt=Acquire::Languages "none"',
      '--aptopt=APT::Sandbox::User "root"',
      '--aptopt=DPkg::Path "/skipped:/usr/sbin:/usr/bin:/sbin:/bin"',
      `--include=${options.packages.join(',')}`,
      ...hooks(options).map(([stage, command]) => `--${stage}-hook=${command}`),
      conf.suite,
      options.target,
      store.source,
    ],
    {
      // INITRD=No: the kernel package must not build an initramfs; board/common builds ours.
      env: {
        SOURCE_DATE_EPOCH: String(options.epoch),
        INITRD: 'No',
        DEBIAN_FRONTEND: 'noninteractive',
        ...(options.unpackOnly && { TAR_OPTIONS: excludedByTar(options) }),
      },
      timeoutMinutes: 60,
      // mmdebstrap mounts /proc, /sys and /dev in the root.
      isolated: true,
    },
  );
}

/**
 * Options by which the tar that unpacks packages in the variant `extract` leaves files out. mmdebstrap's own filter is slow,
 * and so is their removal: where many files were deleted, ext4 takes long to create others.
 */
function excludedByTar({ unused = [] }: RootOptions): string {
  const patterns = [...EXCLUDED.map((folder) => `${folder}/*`), ...unused];
  return ['--anchored', ...patterns.map((pattern) => `--exclude=./${pattern}`)].join(' ');
}

type Hook = [stage: 'setup' | 'extract' | 'customize', command: string];

/** mmdebstrap's hooks: shell commands with the root's folder as `$1`. */
function hooks({ store, absent = [], unpackOnly }: RootOptions): Hook[] {
  const database = '"$1/var/lib/dpkg"';
  const fetched: Hook[] = [
    ['setup', 'mkdir -p "$1/var/lib/apt/lists" "$1/var/cache/apt/archives"'],
    ['setup', `cp -p '${store.lists}'/*_* "$1/var/lib/apt/lists/"`],
    [
      'setup',
      `cp -l '${store.archives}'/*.deb "$1/var/cache/apt/archives/" || cp '${store.archives}'/*.deb "$1/var/cache/apt/archives/"`,
    ],
  ];
  // apt takes them for installed. It would replace a package that is not on hold.
  const status = ['Package', 'Architecture', 'Multi-Arch', 'Version'].map((name) => `${name}: \${${name}}`);
  const format = ['Status: hold ok installed', ...status].join('\\n');
  const held = absent.map(
    (pattern): Hook => [
      'setup',
      `for deb in '${store.archives}'/${pattern}.deb; do [ ! -e "$deb" ] || dpkg-deb --showformat='${format}\\n\\n' --show "$deb" >>${database}/status; done`,
    ],
  );
  if (unpackOnly) return [...fetched, ...held];
  const excluded = EXCLUDED.map((folder) => `path-exclude=/${folder}/*`).join('\\n');
  return [
    ...fetched,
    // dpkg flushes every change of its database, about 20 times per package, whatever its options say: keep the database
    // in memory until it is complete.
    [
      'setup',
      `mv ${database} "$1/dpkg" && mkdir ${database} && mount -t tmpfs tmpfs ${database} && cp -a "$1/dpkg/." ${database}`,
    ],
    [
      'customize',
      `rm -r "$1/dpkg" && cp -a ${database} "$1/dpkg" && umount ${database} && rmdir ${database} && mv "$1/dpkg" ${database}`,
    ],
    // Not with --dpkgopt: then mmdebstrap would pass the essential packages through a slow filter.
    ['setup', `printf '${excluded}\\n' >"$1/etc/dpkg/dpkg.cfg.d/excluded"`],
    ['extract', `cd "$1" && for folder in ${EXCLUDED.join(' ')}; do rm -rf $folder/*; done`],
    ['setup', 'mkdir "$1/skipped"'],
    [
      'setup',
      `cd "$1/skipped" && for name in ${SKIPPED_PROGRAMS.join(' ')}; do ln -s /usr/bin/true $name; done`,
    ],
    ['customize', 'rm -r "$1/skipped"'],
  ];
}
