/** Writes the SBOM of an image in CycloneDX format, from the configuration alone: nothing is compiled for it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_SBOM, agentSbom, IMAGE_SBOM } from '../image/factory/sbom.ts';
import { CommandError, run } from '../image/lib/run.ts';
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
  await run(join(tree, 'utils/generate-cyclonedx'), [...image, '-o', join(folder, IMAGE_SBOM)], {
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
  writeFileSync(join(folder, AGENT_SBOM), await agentSbom());
}
