/** SBOMs (CycloneDX) of an image from packages. They contain no time and no random number, so they are reproducible. */

interface Component {
  type: 'library' | 'operating-system' | 'firmware';
  name: string;
  version: string;
  purl?: string;
}

/**
 * The SBOM of the Debian packages in an image.
 * @param list the image's vitrine-packages.txt: one line for each package, its name and version
 */
export function packagesSbom(list: string, image: { name: string; version: string }, suite: string): string {
  const components = list
    .split('\n')
    .filter(Boolean)
    .map((line): Component => {
      const [name = '', version = ''] = line.split(' ');
      // In a package URL the version is percent-encoded; "+" and ":" are common in Debian's.
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?distro=${suite}`;
      return { type: 'library', name, version, purl };
    });
  return cycloneDx({ type: 'firmware', ...image }, components);
}

/** The output of `npm sbom` without its time, its random serial number, and the name of the folder. */
export function reproducibleSbom(text: string, name: string): string {
  const { serialNumber: _random, metadata, ...rest } = objectOf(JSON.parse(text));
  const { timestamp: _time, component, ...about } = objectOf(metadata);
  return format({ ...rest, metadata: { ...about, component: { ...objectOf(component), name } } });
}

function cycloneDx(component: Component, components: Component[]): string {
  return format({
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component },
    components,
  });
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function format(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
