/** Where a command reads and writes. The process's own streams, or a test's. */
export interface Terminal {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Colours are for people: on a terminal, unless NO_COLOR (https://no-color.org) says otherwise. */
export function wantsColor(output: Output, env: Terminal['env']): boolean {
  return output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
}
