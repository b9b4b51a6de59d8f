/**
 * Space on the data partition that uploads leave free for the device itself (configuration, browser profile, journal),
 * in bytes.
 */
export const RESERVE_BYTES = 16 * 1024 * 1024;
