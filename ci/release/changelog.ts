/** The text below the heading of a version in CHANGELOG.md; undefined if there is no such heading or no text. */
export function changelogSection(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  // "0.2.0", "[0.2.0]" or "0.2.0 (2026-12-01)"
  const found = sections.find((section) => section.replace(/^\[/, '').split(/[\s\]]/, 1)[0] === version);
  const text = found?.slice(found.indexOf('\n') + 1).trim();
  return text ? `${text}\n` : undefined;
}
