import { type Settings, settingsSchema, UNSUPPORTED } from '#runtime/settings';
import { code, generatedFrom, table } from './markdown.ts';
import { SETTING_MEANINGS } from './setting-meanings.ts';

const INTRODUCTION = `# Configuration

Everything is set by environment variables, and none has to be. Each may come from a file instead: put its path into
\`<NAME>_FILE\`, as secrets are mounted. An empty variable counts as unset. A variable that begins with \`HOLDFAST_\` and is
not known is warned about, with the name that was probably meant; a value that is not valid stops the process, which
names every bad variable and never repeats a value.`;

/** docs/configuration.md */
export function configurationPage(): string {
  const names = Object.keys(SETTING_MEANINGS) as (keyof Settings)[];
  const rows = names.map((name) => [code(name), defaultOf(name), SETTING_MEANINGS[name]]);
  const reserved = Object.entries(UNSUPPORTED).map(([name, reason]) => [code(name), reason]);
  return [
    generatedFrom('runtime/settings.ts'),
    INTRODUCTION,
    table(['variable', 'default', 'meaning'], rows),
    '## Reserved names',
    'These belong to features that this version lacks. A process that finds one set refuses to start, since obeying it halfway would be worse.',
    table(['variable', 'reason'], reserved),
  ]
    .join('\n\n')
    .concat('\n');
}

/** What the schema makes of a variable that is not set. */
function defaultOf(name: keyof Settings): string {
  const value = settingsSchema.shape[name].parse(undefined);
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return '';
  return code(Array.isArray(value) ? value.join(',') : String(value));
}
