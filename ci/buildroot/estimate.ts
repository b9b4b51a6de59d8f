/**
 * How long a build still takes. Packages differ by a factor of a thousand, so that counting them says nothing: each has
 * a weight, minutes of work on one processor core, and the speed of this computer is learned while it builds.
 */

/** Minutes on one core of an ordinary desktop computer. Rough, and taken together: only proportions matter. */
const WEIGHTS: Record<string, number> = {
  'vitrine-wpewebkit': 450,
  'vitrine-nodejs': 110,
  'host-nodejs-src': 110,
  llvm: 120,
  'host-llvm': 110,
  'host-clang': 90,
  'host-rust': 240,
  linux: 45,
  'host-gcc-final': 28,
  'host-gcc-initial': 16,
  mesa3d: 16,
  'host-cmake': 14,
  glibc: 10,
  systemd: 9,
  'host-systemd': 5,
  icu: 8,
  'host-icu': 7,
  'host-ruby': 6,
  libopenssl: 5,
  'host-libopenssl': 5,
  'host-python3': 5,
  'host-binutils': 5,
  libglib2: 4,
  'host-libglib2': 4,
  harfbuzz: 4,
  'gst1-plugins-base': 4,
  'gst1-plugins-good': 4,
  'gst1-plugins-bad': 3,
  gstreamer1: 3,
  gnutls: 3,
  'host-gnutls': 3,
  bluez5_utils: 3,
  libvpx: 3,
  uboot: 2,
  'host-uboot-tools': 2,
  'util-linux': 2,
  sqlite: 2,
};
/** A configure script and a few files: most packages are that. */
const ORDINARY = 0.7;

/** The work that a package is, in minutes of one core. */
export function weightOf(name: string): number {
  return WEIGHTS[name] ?? ORDINARY;
}

/** How many minutes of observation the assumed speed counts as, so that the first packages do not rule it. */
const PRIOR_MINUTES = 8;
/** A second core does not do a second core's work: configure scripts and links run on one. */
const EFFICIENCY = 0.7;

/** What a run has built so far. */
export interface Standing {
  /** Weight of what is built. */
  done: number;
  /** Minutes that it took. */
  elapsed: number;
  /** Processor cores that build. */
  cores: number;
}

/** The speed, in minutes of one core's work a minute: at first that of the cores, more and more what was seen. */
export function speedOf({ done, elapsed, cores }: Standing): number {
  const assumed = Math.max(1, cores * EFFICIENCY);
  return (done + assumed * PRIOR_MINUTES) / (elapsed + PRIOR_MINUTES);
}

/** "3 h 20 min", "12 min", "under a minute". */
export function duration(minutes: number): string {
  if (minutes < 1) return 'under a minute';
  const whole = Math.round(minutes);
  if (whole < 60) return `${whole} min`;
  const rest = whole % 60;
  return rest === 0 ? `${Math.floor(whole / 60)} h` : `${Math.floor(whole / 60)} h ${rest} min`;
}
