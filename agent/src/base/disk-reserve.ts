/** Space on the data partition that uploads must leave for configuration, browser profile and journal, in bytes. */
export const RESERVE_BYTES = 16 * 1024 * 1024;
