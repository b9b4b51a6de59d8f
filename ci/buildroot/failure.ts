/** Explains why make failed. */

const TAIL = 30;

/** Package folder and step from the stamp file that make failed to create, such as "m4-1.4.21" and "downloaded". */
function failedStamp(output: string): { folder: string; step: string } | undefined {
  const [, folder, step] =
    [...output.matchAll(/\*\*\* \[[^\]]*\/build\/([^/\]]+)\/\.stamp_(\w+)\]/g)].pop() ?? [];
  return folder && step ? { folder, step } : undefined;
}

/**
 * Explains a failed make in a sentence; for unknown causes the last lines of the output follow.
 * @param output the end of make's output
 * @param downloads folder of the sources (BR2_DL_DIR)
 */
export function explainMake(output: string, downloads: string, log: string): string {
  const host = /You must install '(.+?)' on your build machine/.exec(output)?.[1];
  if (host) return `Buildroot needs the program ${host} on this computer. The log: ${log}`;
  if (/No space left on device/.test(output)) {
    return `the disk is full. Make room, or set VITRINE_CACHE or --output to a folder on a larger disk, and run the same command again: it continues where it stopped. The log: ${log}`;
  }
  const noHash = /ERROR: No hash found for (\S+)/.exec(output)?.[1];
  if (noHash) {
    return `no hash file lists the source ${noHash}, so it is not trusted. Add it to the .hash file of its package. The log: ${log}`;
  }
  const wrong = /ERROR: (?:while checking hashes from .*\n)?(?:ERROR: )?(\S+) has wrong (\w+) hash/.exec(
    output,
  );
  if (wrong) {
    return `the source ${wrong[1]} does not match its .hash file (${wrong[2]}): it was changed, or the download was damaged. Nothing was built from it. The log: ${log}`;
  }
  const stamp = failedStamp(output);
  if (stamp && (stamp.step === 'downloaded' || stamp.step === 'actual_downloaded')) {
    const urls = [...output.matchAll(/'(https?:\/\/[^']+)'/g)].map(([, url]) => url ?? '');
    // The URL of Buildroot's own mirror ends with FOLDER/FILE, which is also the path in the downloads folder.
    const place = /\/\/sources\.buildroot\.net\/([^/]+\/[^/?]+)/.exec(urls.join(' '))?.[1];
    const unresolved = /unable to resolve host address|Name or service not known/.test(output);
    const why = unresolved ? 'its host name could not be resolved' : 'every address failed; the log says why';
    return (
      `the source of ${stamp.folder} could not be downloaded: ${why}.` +
      `${urls.length > 0 ? ` Tried: ${[...new Set(urls)].join(' ')}.` : ''}\n` +
      `Check the network and run the same command again: it continues where it stopped. Without a network, put the file where ` +
      `Buildroot looks first: ${downloads}/${place ?? 'PACKAGE/FILE'} (its checksum is still verified). The log: ${log}`
    );
  }
  const lines = output.trimEnd().split('\n').slice(-TAIL).join('\n');
  const where = stamp ? `${stamp.folder} could not be ${stamp.step.replaceAll('_', ' ')}` : 'make failed';
  return `${where}. The last lines of ${log}:\n${lines}`;
}
