import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bench } from './bench.ts';
import { readOptions, USAGE } from './options.ts';
import { renderMarkdown } from './report/markdown.ts';
import { ratiosOf } from './report/ratios.ts';
import { mergeResults, type Results } from './report/results.ts';

/* `npm run bench`: ours beside the queues people use today. See `options.ts` for what it takes. */

const interrupted = new AbortController();
// Whoever reads the output may be gone before the cleaning up is done.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => interrupted.abort());
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    process.stderr.write(`${signal}: ending the run and cleaning up ...\n`);
    interrupted.abort();
  });
}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return 2;
  }
  if (options.kind === 'render') {
    const files = options.files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
    process.stdout.write(renderMarkdown(mergeResults(files)));
    return 0;
  }
  if (process.platform !== 'linux') {
    process.stderr.write('The bench reads CPU and memory from /proc, so it runs on Linux only.\n');
    return 2;
  }
  mkdirSync(options.out, { recursive: true });
  const file = join(options.out, new Date().toISOString().replaceAll(':', '-').slice(0, 19));
  try {
    const results = await bench(options, interrupted.signal, (soFar) => save(file, soFar));
    process.stdout.write(`${renderMarkdown(results)}\nwritten to ${file}.json and ${file}.md\n`);
    return results.runs.some(({ error }) => error !== null) ? 1 : 0;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    return 130;
  }
}

function save(file: string, results: Results): void {
  writeFileSync(`${file}.json`, `${JSON.stringify({ ...results, ratios: ratiosOf(results.runs) }, null, 1)}\n`);
  writeFileSync(`${file}.md`, renderMarkdown(results));
}
