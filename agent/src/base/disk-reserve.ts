/**
 * What must stay free on the data partition for the device's own needs (configuration, browser profile, journal),
 * in bytes: no upload, whichever link brings it, may take the last of the room.
 */
export const RESERVE_BYTES = 16 * 1024 * 1024;
