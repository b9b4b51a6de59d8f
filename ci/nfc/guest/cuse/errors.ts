/** Error numbers of Linux that the models of buses give. */
export const ERRNO = {
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  EINVAL: 22,
  ENOTTY: 25,
  ENOSYS: 38,
  EMSGSIZE: 90,
  EREMOTEIO: 121,
} as const;

/** A system call fails with this error. */
export class SystemCallError extends Error {
  readonly errno: number;

  constructor(name: keyof typeof ERRNO) {
    super(name);
    this.errno = ERRNO[name];
  }
}
