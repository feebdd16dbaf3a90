import { parseArgs } from 'node:util';
import { ALL_PEERS, isPeerName, type PeerName } from './products/catalog.ts';
import { isWorkloadName, WORKLOAD_NAMES, type WorkloadName } from './workloads/catalog.ts';

export interface BenchOptions {
  readonly workloads: readonly WorkloadName[];
  readonly peers: readonly PeerName[];
  readonly repetitions: number;
  readonly scale: number;
  readonly backlogs: readonly number[];
  readonly out: string;
}

export type Options =
  | ({ readonly kind: 'run' } & BenchOptions)
  | { readonly kind: 'render'; readonly files: readonly string[] };

const DEFAULT_BACKLOGS = [10_000, 100_000, 500_000, 1_000_000];

export const USAGE = `npm run bench -- [options]
  --workloads w1,w3     of ${WORKLOAD_NAMES.join(', ')} (default: all)
  --peers pg-boss       of ${ALL_PEERS.join(', ')}, or none (default: all)
  --repetitions 5       each repetition runs everything once, in another order
  --scale 0.1           fewer jobs and shorter times, for a quick look
  --backlogs 10000      of w6 (default: ${DEFAULT_BACKLOGS.join(',')}; peers have at most 500,000)
  --out <folder>        for the JSON and the Markdown file (default: test/bench/results)
  --render <file>...    prints the Markdown of JSON files of earlier runs, and runs nothing
`;

/** @throws Error that says what is wrong with the command line. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      workloads: { type: 'string' },
      peers: { type: 'string' },
      repetitions: { type: 'string', default: '5' },
      scale: { type: 'string', default: '1' },
      backlogs: { type: 'string', default: DEFAULT_BACKLOGS.join(',') },
      out: { type: 'string', default: 'test/bench/results' },
      render: { type: 'boolean', default: false },
    },
  });
  if (values.render) return { kind: 'render', files: positionals };
  if (positionals.length > 0) throw new Error(`what is ${positionals[0]}?`);
  return {
    kind: 'run',
    workloads: names(values.workloads, WORKLOAD_NAMES, isWorkloadName),
    peers: values.peers === 'none' ? [] : names(values.peers, ALL_PEERS, isPeerName),
    repetitions: number(values.repetitions, 'repetitions'),
    scale: number(values.scale, 'scale'),
    backlogs: values.backlogs.split(',').map((text) => number(text, 'backlogs')),
    out: values.out,
  };
}

function names<Name extends string>(
  text: string | undefined,
  all: readonly Name[],
  isName: (name: string) => name is Name,
): readonly Name[] {
  if (text === undefined) return all;
  return text.split(',').map((name) => {
    if (!isName(name)) throw new Error(`${name} is none of ${all.join(', ')}`);
    return name;
  });
}

function number(text: string, option: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${option} takes a number above 0, not ${text}`);
  return value;
}
