/** Texts of the document that do not come from schemas. */

export const ABOUT = `A display appliance shows a web page, a stored content bundle or a waiting page on its screen and is driven by a host over one USB cable.

Every call works in the same way over REST, at \`http://<device>/api/v1\`, and over the serial port of the cable, framed as NDJSON. Events come over a WebSocket and over serial.

There are no credentials: the cable is trusted. Requests whose \`Host\`, \`Origin\` or \`Sec-Fetch-Site\` say that another site's page sent them are refused with \`forbidden\`. JSON bodies must be sent as \`application/json\`; there are no CORS headers.

Every answer that is not 2xx carries the error envelope. A path that does not exist is 404 \`not_found\`, a method that a path does not have 405 \`method_not_allowed\` with \`Allow\`. HEAD answers as GET does, without the body. Query parameters, fields and bodies that an endpoint does not have are 400 \`bad_request\`; where no body is listed, an empty one and the JSON \`{}\` are taken. Validation errors list all issues in \`details.issues\`, each with a JSON pointer.

Field names are snake_case, times ISO 8601 UTC with milliseconds, sizes bytes; durations name their unit.`;

export const WEBSOCKET = `JSON messages, one object each. Subscribe to any subset of topics; a later subscribe adds to the earlier. A client that does not read loses \`input_raw\`, \`log\`, \`page_console\` and \`health\` events, oldest first, and then the socket, with close code 1013.`;

export const SERIAL = `One JSON object a line, ended by \\n, over the CDC-ACM port of the cable; the baud rate does not matter. Requests may be pipelined; answers carry the id of their request. Empty lines and lines over 1 MiB are ignored; a line that is not JSON gets an ErrorFrame \`bad_frame\` and the stream goes on. An upload opens with a request whose \`body_b64\` is empty, its chunks follow, and the answer comes after the last one. A host that does not read its events gets a new \`hello\` in their place when one of them must not be lost: its subscriptions are gone then.`;

export const ABOUT_FRAMES = `What the device receives and sends on its WebSocket and its serial link, as the device sees it: \`receive\` is what a host sends. Requests over HTTP are in the OpenAPI document, \`GET /api/v1/openapi.yaml\`; the serial link carries the same requests in frames.

Events come for the topics that a host subscribes to. With \`snapshot\` the present states follow the acknowledgement as events, so that a host needs no other request after it has connected again: of a topic whose resource answers an error now, none.`;

/** In the order of the document. */
export const TAGS = [
  { name: 'Device', description: 'The board, its health, its log, its network' },
  { name: 'Display', description: 'What is on the screen' },
  { name: 'Page channel', description: 'JSON messages with the displayed page' },
  { name: 'Content', description: 'Bundles stored on the device' },
  { name: 'Configuration', description: 'One document; every field with a default' },
  { name: 'Files', description: 'Branding images and certificates' },
  { name: 'Audio', description: 'Volume and mute' },
  { name: 'Update', description: 'Signed updates into two boot slots' },
  { name: 'Operations', description: 'Long-running tasks' },
  { name: 'Input', description: 'Touch panels and other input devices' },
  { name: 'NFC', description: 'Readers and tags; 503 `nfc_disabled` while `nfc.enabled` is false' },
  {
    name: 'Wi-Fi',
    description: '503 `wifi_unsupported` without a radio, `wifi_disabled` while switched off',
  },
  {
    name: 'Bluetooth',
    description: '503 `bluetooth_unsupported` without a radio, `bluetooth_disabled` while switched off',
  },
  { name: 'Events', description: 'State changes as they happen' },
  { name: 'Contract', description: 'This document' },
];
