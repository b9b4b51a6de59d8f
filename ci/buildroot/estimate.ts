/**
 * Estimates the remaining time of a build. Build times of packages differ by a factor of a thousand, so counting packages
 * is not enough: each has a weight in minutes on one processor core, and the speed of this computer is measured.
 */

/** Rough minutes on one core of an ordinary desktop computer. Only the proportions matter. */
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
/** Weight of all other packages: most are a configure script and a few files. */
const DEFAULT_WEIGHT = 0.7;

/** The weight of a package, in minutes on one core. */
export function weightOf(name: string): number {
  return WEIGHTS[name] ?? DEFAULT_WEIGHT;
}

/** The assumed speed counts as much as this many minutes of measurement, so that the first packages do not dominate. */
const PRIOR_MINUTES = 8;
/** Average share of the cores that is used: configure scripts and linking run on one core. */
const EFFICIENCY = 0.7;

/** What a run has built so far. */
export interface BuildStatus {
  /** Weight of what is built. */
  done: number;
  /** Minutes that it took. */
  elapsed: number;
  /** Processor cores that build. */
  cores: number;
}

/** The speed, in minutes of work on one core per minute: at first estimated from the cores, then increasingly measured. */
export function speedOf({ done, elapsed, cores }: BuildStatus): number {
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
