import { readdirSync, readFileSync } from 'node:fs';

/** What the kernel counts in, a hundredth of a second on every Linux there is. */
const TICKS_PER_SECOND = 100;

interface Stat {
  readonly parent: number;
  readonly own: number;
  readonly ofDeadChildren: number;
}

/** CPU seconds of a process, of the children it had and of those it has. 0 once it is gone. */
export function familyCpuSeconds(pid: number): number {
  const head = readStat(pid);
  if (head === null) return 0;
  const living = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid)
    .reduce((sum, stat) => sum + (stat?.own ?? 0), 0);
  return (head.own + head.ofDeadChildren + living) / TICKS_PER_SECOND;
}

/** The most memory a process ever held, bytes. */
export function peakRssBytes(pid: number): number {
  return memoryOf(pid, 'VmHWM');
}

/** The memory a process holds now, bytes. */
export function rssBytes(pid: number): number {
  return memoryOf(pid, 'VmRSS');
}

function memoryOf(pid: number, field: string): number {
  const status = readProc(pid, 'status') ?? '';
  const [, kibibytes] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status) ?? [];
  return Number(kibibytes) * 1024;
}

function readStat(pid: number): Stat | null {
  const text = readProc(pid, 'stat');
  if (text === null) return null;
  // The name, in brackets, may itself hold brackets and blanks.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (index: number) => Number(fields[index]);
  return { parent: at(1), own: at(11) + at(12), ofDeadChildren: at(13) + at(14) };
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
