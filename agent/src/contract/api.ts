/** The version of the interface, as Device and the serial hello carry it (interface: Versioning). */
export const API_VERSION = 'v1';

/** Prefix of every endpoint's path. */
export const BASE_PATH = `/api/${API_VERSION}`;

/** Of the contract's document: the minor number rises with what is added, within v1. */
export const INTERFACE_VERSION = '1.0.0';
