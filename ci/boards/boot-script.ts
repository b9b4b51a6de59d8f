import { differs, numberOf, templateOf, textOf } from './defined.ts';
import type { Evidence } from './evidence.ts';

/** Size of U-Boot's legacy image header plus the length table of an image with one script. */
const IMAGE_HEADER = 64 + 8;
/** Variables that U-Boot sets: the boot device, the firmware's device tree, the size of the last loaded file. */
const SET_BY_UBOOT = ['devtype', 'devnum', 'fdt_addr', 'filesize'];
/** Smaller numbers in the script are sizes and byte values, not addresses. */
const FIRST_ADDRESS = 0x100000;
/** Memory used for the environment: two copies of 1 MiB each, followed by the scratch area. */
const ENV_MEMORY = 0x200100;

/** Checks the script on the disk: it is a valid image, and every file, partition and variable that it names exists. */
export function bootScriptProblems(evidence: Evidence): string[] {
  const listing = evidence.programs.get('boot-script');
  const script = (evidence.fat.get('boot.scr') ?? Buffer.alloc(0)).subarray(IMAGE_HEADER).toString();
  if (!listing?.ok || !/^Image Type:.*\bScript\b/m.test(listing.text)) {
    return [`mkimage does not recognise boot.scr as a script: ${listing?.text ?? 'it was not run'}`];
  }
  return [
    ...(script === templateOf(evidence, 'boot.cmd') ? [] : ['boot.scr is not the rendered boot.cmd']),
    ...commandProblems(script, evidence),
    ...slotProblems(script, evidence),
    ...nameProblems(script, evidence),
  ];
}

/** Checks the partitions and files of "load" and "fatwrite", and every address. */
function commandProblems(script: string, evidence: Evidence): string[] {
  const problems: string[] = [];
  const boot = textOf(evidence, 'BOOT_PART');
  const kernelFiles = [textOf(evidence, 'KERNEL_FILE'), textOf(evidence, 'INITRD_FILE')];
  // biome-ignore lint/suspicious/noTemplateCurlyInString: U-Boot's own placeholders
  const slot = '${part}';
  const loads = [
    ...script.matchAll(/\b(load|fatwrite) \S+ \$\{devnum\}:(\S+) (\S+) ([^\s;]+)(?: (0x\S+))?/g),
  ];
  for (const [line, command, partition, , file = '', size] of loads) {
    const onBoot = partition === boot;
    const there = onBoot ? evidence.fat.has(file) : partition === slot && kernelFiles.includes(file);
    if (!there) problems.push(`"${line}": there is no such file or partition`);
    if (command === 'fatwrite') {
      problems.push(
        ...differs(`the size that "${line}" writes`, Number(size), evidence.fat.get(file)?.length),
      );
    }
  }
  problems.push(...differs('the number of "load" and "fatwrite"', loads.length, 6));
  const env = numberOf(evidence, 'ENV_ADDR');
  const bases = ['KERNEL_ADDR', 'INITRD_ADDR', 'RAMOOPS_ADDR'].map((name) =>
    Number(evidence.defined.get(name)),
  );
  for (const [text] of script.matchAll(/\b0x[0-9a-f]+\b/gi)) {
    const address = Number(text);
    if (address < FIRST_ADDRESS || bases.includes(address)) continue;
    if (address < env || address >= env + ENV_MEMORY)
      problems.push(`${text} is not an address of this board`);
  }
  return problems;
}

/** Checks each slot's partition number and label against the partition table. */
function slotProblems(script: string, { table, ...evidence }: Evidence): string[] {
  const slots = [...script.matchAll(/setenv part (\d+)\s+setenv label (\S+)/g)];
  const found = slots.map(([, part, label]) => `${label}=${table.partitions[Number(part) - 1]?.name}`);
  const expected = ['ROOTFS_A_LABEL', 'ROOTFS_B_LABEL']
    .map((name) => textOf(evidence, name))
    .map((label) => `${label}=${label}`);
  return differs("the slots' labels and the table's names", found.join(', '), expected.join(', '));
}

/** Checks the kernel arguments, and that every variable which the script reads is set. */
function nameProblems(script: string, evidence: Evidence): string[] {
  const problems: string[] = [];
  const args = /^setenv bootargs "(.*)"$/m.exec(script)?.[1] ?? '';
  // biome-ignore lint/suspicious/noTemplateCurlyInString: U-Boot's own placeholders
  for (const word of ['root=PARTLABEL=${label}', 'ro', `console=${textOf(evidence, 'CONSOLE')}`]) {
    if (!args.split(' ').includes(word)) problems.push(`the kernel's arguments have no "${word}"`);
  }
  const set = [...script.matchAll(/\bsetenv (\w+)|\bfor (\w+) in\b/g)].map(([, one, other]) => one ?? other);
  const known = new Set([...SET_BY_UBOOT, ...set]);
  for (const [, name] of script.matchAll(/\$\{(\w+)\}/g)) {
    if (!known.has(name)) problems.push(`nothing sets \${${name}}`);
  }
  if (!script.includes(textOf(evidence, 'BOOT_COMMAND'))) problems.push('BOOT_COMMAND is not in the script');
  return problems;
}
