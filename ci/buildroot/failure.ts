/** What a failed make means for the person who ran it. */

const TAIL = 30;

/** Package and step, from the stamp that make could not make: "m4-1.4.21" and "downloaded". */
function failedStamp(output: string): { folder: string; step: string } | undefined {
  const [, folder, step] =
    [...output.matchAll(/\*\*\* \[[^\]]*\/build\/([^/\]]+)\/\.stamp_(\w+)\]/g)].pop() ?? [];
  return folder && step ? { folder, step } : undefined;
}

/**
 * A sentence, and where the cause is not one of the well-known ones the last lines.
 * @param output the end of what make wrote
 * @param downloads folder of the sources (BR2_DL_DIR)
 */
export function explainMake(output: string, downloads: string, log: string): string {
  const host = /You must install '(.+?)' on your build machine/.exec(output)?.[1];
  if (host) return `Buildroot needs the program ${host} on this computer. The log: ${log}`;
  if (/No space left on device/.test(output)) {
    return `the disk is full. Make room, or set VITRINE_CACHE or --output to a folder on a bigger disk, and run the same command again: it goes on where it stopped. The log: ${log}`;
  }
  const noHash = /ERROR: No hash found for (\S+)/.exec(output)?.[1];
  if (noHash) {
    return `no hash file knows the source ${noHash}, so it is not trusted. Its package's .hash file has to name it. The log: ${log}`;
  }
  const wrong = /ERROR: (?:while checking hashes from .*\n)?(?:ERROR: )?(\S+) has wrong (\w+) hash/.exec(
    output,
  );
  if (wrong) {
    return `the source ${wrong[1]} is not what its .hash file says (${wrong[2]}): somebody changed it, or the download was damaged. Nothing was built from it. The log: ${log}`;
  }
  const stamp = failedStamp(output);
  if (stamp && (stamp.step === 'downloaded' || stamp.step === 'actual_downloaded')) {
    const urls = [...output.matchAll(/'(https?:\/\/[^']+)'/g)].map(([, url]) => url ?? '');
    // Buildroot's own mirror is asked for FOLDER/FILE, as the folder of downloads has it.
    const place = /\/\/sources\.buildroot\.net\/([^/]+\/[^/?]+)/.exec(urls.join(' '))?.[1];
    const unresolved = /unable to resolve host address|Name or service not known/.test(output);
    const why = unresolved
      ? 'its host name could not be resolved'
      : 'none of the addresses gave it; the log says why';
    return (
      `the source of ${stamp.folder} could not be downloaded: ${why}.` +
      `${urls.length > 0 ? ` Tried: ${[...new Set(urls)].join(' ')}.` : ''}\n` +
      `Check the network and run the same command again: it goes on where it stopped. Without a network, put the file where ` +
      `Buildroot looks first: ${downloads}/${place ?? 'PACKAGE/FILE'} (its checksum is looked at all the same). The log: ${log}`
    );
  }
  const lines = output.trimEnd().split('\n').slice(-TAIL).join('\n');
  const where = stamp ? `${stamp.folder} could not be ${stamp.step.replaceAll('_', ' ')}` : 'make failed';
  return `${where}. The last lines of ${log}:\n${lines}`;
}
