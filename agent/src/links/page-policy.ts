import { createHash } from 'node:crypto';

const INLINE = /<(script|style)>([\s\S]*?)<\/\1>/g;

/**
 * Content-Security-Policy of an HTML page of ours that has everything inline: nothing is loaded, since the host may have
 * no other network. Its own scripts and styles count by their hashes (CSP level 3, section 6.7.3.3).
 * @param html a file that ships with the agent. In a page with input, this would allow injected scripts
 */
export function pagePolicy(html: Uint8Array): string {
  const hashes: Record<string, string[]> = { script: [], style: [] };
  for (const [, element = '', text = ''] of Buffer.from(html).toString().matchAll(INLINE)) {
    hashes[element]?.push(`'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  }
  const sources = (element: string): string => hashes[element]?.join(' ') || "'none'";
  return (
    `default-src 'none'; script-src ${sources('script')}; style-src ${sources('style')}; ` +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
    "require-trusted-types-for 'script'; trusted-types 'none'"
  );
}
