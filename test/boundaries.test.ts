import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The import table of the architecture: folder, and what of ours it may know besides itself. */
const TABLE: Record<string, string[]> = {
  domain: [],
  log: ['runtime'],
  commands: ['domain', '#log/port', 'runtime'],
  projections: ['domain', '#log/port', 'runtime'],
  workers: ['domain', 'commands', '#projections/jobs/queries', '#projections/due-jobs/due-queries', 'runtime'],
  api: ['domain', 'commands', '#projections/jobs/queries', '#projections/due-jobs/due-queries', 'runtime'],
  runtime: [],
  client: [],
  dashboard: [],
  bin: ['domain', 'log', 'commands', 'projections', 'workers', 'api', 'runtime', 'client'],
};
/** Folders that may know everything. */
const FREE = ['test', 'examples', 'docs'];
const TARGETS = [...Object.keys(TABLE), 'test'];
const OTHERS = ['#log/port', '#projections/jobs/queries', '#projections/due-jobs/due-queries'];

interface Case {
  readonly folder: string;
  readonly statement: string;
  readonly allowed: boolean;
}

const across = (folder: string, target: string): Case[] => {
  const allowed = folder === target || (TABLE[folder] ?? []).includes(target);
  const specifiers = [`#${target}/a/b`, `../${target}/a.ts`, `../../${target}/a.ts`];
  return [
    ...specifiers.map((from) => ({ folder, allowed, statement: `import { x } from '${from}';\nconsole.log(x);` })),
    { folder, allowed, statement: `import type { X } from '#${target}/a';\nexport const x: X = 1;` },
    { folder, allowed, statement: `export { x } from '#${target}/a';` },
    { folder, allowed, statement: `const { x } = await import('#${target}/a');\nconsole.log(x);` },
  ];
};

const cases: Case[] = [
  ...Object.keys(TABLE).flatMap((folder) => TARGETS.flatMap((target) => across(folder, target))),
  ...Object.entries(TABLE).flatMap(([folder, may]) =>
    OTHERS.map((from) => {
      const target = from.slice(1).split('/')[0] ?? '';
      const allowed = folder === target || may.includes(target) || may.includes(from);
      return { folder, allowed, statement: `export { x } from '${from}';` };
    }),
  ),
  ...[...Object.keys(TABLE), 'test', 'examples'].map((folder) => ({
    folder,
    allowed: folder === 'test' || folder === 'examples',
    statement: `export { x } from 'holdfast';`,
  })),
  ...['node:fs', 'node:crypto', 'pg', 'fastify', 'zod/v4'].map((from) => ({
    folder: 'domain',
    allowed: false,
    statement: `export { x } from '${from}';`,
  })),
  ...['zod', 'croner', './a.ts', '../job/a.ts'].map((from) => ({
    folder: 'domain',
    allowed: true,
    statement: `export { x } from '${from}';`,
  })),
];

let project: string;
let refused: Set<string>;
const fileOf = (index: number) => `${cases[index]?.folder}/some/place-${index}.ts`;

// One project with a file for each case, linted once with the repository's own configuration.
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'holdfast-boundaries-'));
  const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  delete config.$schema;
  delete config.vcs;
  writeFileSync(join(project, 'biome.json'), JSON.stringify(config));
  for (const [index, { folder, statement }] of cases.entries()) {
    mkdirSync(join(project, folder, 'some'), { recursive: true });
    writeFileSync(join(project, fileOf(index)), `${statement}\n`);
  }
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', '--only=style/noRestrictedImports', '.'];
  const { stdout } = spawnSync(biome, args, { cwd: project, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  const report = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
  const restricted = report.diagnostics.filter(({ category }) => category === 'lint/style/noRestrictedImports');
  refused = new Set(restricted.map(({ location }) => location.path));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

describe.each([...Object.keys(TABLE), 'test', 'examples'])('the import table for %s/', (folder) => {
  const own = cases.map((each, index) => ({ ...each, file: fileOf(index) })).filter((each) => each.folder === folder);

  test('refuses every import it forbids, however it is spelled', () => {
    const missed = own.filter(({ allowed, file }) => !allowed && !refused.has(file));
    expect(missed.map(({ statement }) => statement)).toEqual([]);
  });

  test('allows every import that it allows', () => {
    const wrong = own.filter(({ allowed, file }) => allowed && refused.has(file));
    expect(wrong.map(({ statement }) => statement)).toEqual([]);
  });
});

test('every folder of source has its row in the table', () => {
  const withSource = readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(\.|node_modules$)/.test(entry.name))
    .filter((entry) =>
      readdirSync(join(ROOT, entry.name), { recursive: true }).some((file) => String(file).endsWith('.ts')),
    )
    .map((entry) => entry.name);
  expect(withSource.filter((name) => !(name in TABLE) && !FREE.includes(name))).toEqual([]);
});
