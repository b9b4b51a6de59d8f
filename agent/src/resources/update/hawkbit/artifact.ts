import type { Artifact } from './ddi-messages.ts';

export interface Download {
  url: string;
  /** Whether the URL is on the configured server, so that the token may be sent there. */
  isOwnServer: boolean;
}

/**
 * Chooses the link by which a bundle is fetched. A server that is reached by HTTPS gets no download by HTTP: its owner
 * asked for encryption.
 * @param server the configured address
 * @returns the download, or a sentence that says why there is none
 */
export function chooseDownload({ links }: Artifact, server: URL): Download | string {
  const urls = [links.secure, links.plain].flatMap((link) =>
    link !== undefined && URL.canParse(link) ? [new URL(link)] : [],
  );
  const usable = urls.filter(
    ({ protocol, username, password }) =>
      (protocol === 'https:' || (protocol === 'http:' && server.protocol === 'http:')) &&
      username === '' &&
      password === '',
  );
  const chosen = usable.find(({ origin }) => origin === server.origin) ?? usable[0];
  if (chosen) return { url: chosen.href, isOwnServer: chosen.origin === server.origin };
  if (urls.some(({ protocol }) => protocol === 'http:') && server.protocol === 'https:') {
    return 'The bundle can be fetched by http: only, and the server is configured with https:.';
  }
  return 'The deployment has no link to fetch the bundle by http: or https:.';
}
