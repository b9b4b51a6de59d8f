/** Software bills of materials of an image, in CycloneDX format. The same image always gives the same bytes. */
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { ROOT } from '../../lib/places.ts';
import { Problem } from '../../lib/problem.ts';
import { run } from '../lib/run.ts';

/** File names: the packages of the image, and the npm packages in the agent's bundle. */
export const IMAGE_SBOM = 'image.cdx.json';
export const AGENT_SBOM = 'agent.cdx.json';

const TIMEOUT_MINUTES = 5;

const NpmSbom = Type.Object({
  bomFormat: Type.Literal('CycloneDX'),
  metadata: Type.Object({ component: Type.Object({ name: Type.String() }) }),
  components: Type.Array(Type.Object({ purl: Type.String() })),
});

/** The npm packages that the agent is built with, by npm itself, without its random number and the current time. */
export async function agentSbom(): Promise<string> {
  const sbom = await npmSbom(ROOT);
  const compiled = await npmSbom(join(ROOT, 'agent/native-modules'));
  sbom.components.push(...compiled.components);
  // npm names it after the folder.
  sbom.metadata.component.name = 'vitrine-agent';
  const withoutChance = (key: string, value: unknown): unknown =>
    key === 'serialNumber' || key === 'timestamp' ? undefined : value;
  return `${JSON.stringify(sbom, withoutChance, 2)}\n`;
}

async function npmSbom(folder: string): Promise<Type.Static<typeof NpmSbom>> {
  const text = await run('npm', ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'], {
    cwd: folder,
    timeoutMinutes: TIMEOUT_MINUTES,
  });
  const sbom: unknown = JSON.parse(text);
  if (!Value.Check(NpmSbom, sbom)) throw new Problem('the output of npm sbom is not CycloneDX.');
  return sbom;
}

/**
 * The Debian packages of an image.
 * @param packages lines `name version`
 * @param suite the Debian release, for example `forky`
 */
export function debianSbom(board: string, version: string, packages: string[], suite: string): string {
  const components = packages.map((line) => {
    const [name, release, ...rest] = line.split(' ');
    if (!name || !release || rest.length > 0) throw new Problem(`"${line}" is no package with a version.`);
    const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(release)}?distro=${suite}`;
    return { type: 'library', 'bom-ref': purl, name, version: release, purl };
  });
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'firmware', name: `vitrine-${board}`, version } },
    components,
  };
  return `${JSON.stringify(sbom, undefined, 2)}\n`;
}
