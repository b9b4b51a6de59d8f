/** Version of the interface, in the Device resource and the serial hello (interface: Versioning). */
export const API_VERSION = 'v1';

/** Prefix of every endpoint's path. */
export const BASE_PATH = `/api/${API_VERSION}`;

/** Version of the OpenAPI document: additions within v1 raise the minor number. */
export const INTERFACE_VERSION = '1.0.0';
