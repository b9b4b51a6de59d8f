/** What shells need to complete the commands. */
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';

export const COMPLETIONS = ['bash', 'zsh', 'fish'];

/** A script that a shell reads at its start. @throws UsageError for an unknown shell */
export function completionFor(shell: string, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const optionsOf = ({ options }: Command): string =>
    ['help', ...Object.keys(options)].map((name) => `--${name}`).join(' ');
  if (shell === 'fish') {
    const lines = commands.flatMap(({ name, help, options }) => [
      `complete -c vitrine -n __fish_use_subcommand -f -a ${name} -d ${quoted(help)}`,
      ...Object.entries(options).map(
        ([option, { help: text }]) =>
          `complete -c vitrine -n '__fish_seen_subcommand_from ${name}' -l ${option} -d ${quoted(text)}`,
      ),
    ]);
    return `${lines.join('\n')}\n`;
  }
  if (!COMPLETIONS.includes(shell)) {
    throw new UsageError(`there is no completion for "${shell}": ${COMPLETIONS.join(', ')}`);
  }
  const cases = commands.map((one) => `    ${one.name}) words="${optionsOf(one)}" ;;`);
  const bash = `_vitrine() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
  done
  [ -n "$words" ] || words="${names} --host --serial --json --help --version"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "$current" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}
complete -F _vitrine vitrine
`;
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}
