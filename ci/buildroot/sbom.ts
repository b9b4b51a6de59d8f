/** Writes the SBOM of an image in CycloneDX format, from the configuration alone: nothing is compiled for it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, run } from '../image/lib/run.ts';
import { ROOT } from '../lib/places.ts';
import { Problem } from '../lib/problem.ts';

const TIMEOUT_MINUTES = 5;

export interface Inventory {
  board: string;
  version: string;
  /** Folder of Buildroot. */
  tree: string;
  /** Output of `make show-info`. */
  showInfo: string;
  /** Folder for the SBOM files. */
  folder: string;
  env: Record<string, string>;
}

/**
 * Writes `image.cdx.json`, all Buildroot packages with version, licenses, sources and checksums, and `agent.cdx.json`,
 * the npm packages in the agent's bundle, which is a single package for Buildroot.
 */
export async function writeInventory(inventory: Inventory): Promise<void> {
  const { board, version, tree, showInfo, folder, env } = inventory;
  mkdirSync(folder, { recursive: true });
  const info = join(folder, 'show-info.json');
  writeFileSync(info, showInfo);
  const image = ['--project-name', `vitrine-${board}`, '--project-version', version, '-i', info];
  await run(join(tree, 'utils/generate-cyclonedx'), [...image, '-o', join(folder, 'image.cdx.json')], {
    env,
    timeoutMinutes: TIMEOUT_MINUTES,
  }).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new Problem(
      /URLError|urlopen/.test(error.output)
        ? "Buildroot's generate-cyclonedx could not download the list of SPDX licenses, which it needs once."
        : `Buildroot's generate-cyclonedx failed:\n${error.output}`,
    );
  });
  writeFileSync(join(folder, 'agent.cdx.json'), await agentSbom());
}

/** The SBOM of the npm packages in the agent's bundle, CycloneDX as JSON. */
export async function agentSbom(): Promise<string> {
  return await run('npm', ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'], {
    cwd: ROOT,
    timeoutMinutes: TIMEOUT_MINUTES,
  });
}
