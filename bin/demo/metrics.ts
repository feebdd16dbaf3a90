const WITHIN_MS = 5_000;

/** The sum of a counter's series in a process's metrics. */
export async function readCounter(metricsUrl: string, name: string): Promise<number> {
  const response = await fetch(metricsUrl, { signal: AbortSignal.timeout(WITHIN_MS) });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}
