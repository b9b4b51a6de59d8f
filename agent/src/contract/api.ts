/** Version of the API: in every path, the Device resource and the serial hello (docs/api.md: Versions). */
export const API_VERSION = 'v1';

/** Prefix of every endpoint's path. */
export const BASE_PATH = `/api/${API_VERSION}`;
