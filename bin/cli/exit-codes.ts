/** What the exit status of `holdfast` tells a script. The numbers are part of the interface. */
export const EXIT = {
  ok: 0,
  /** The command failed, or the job that was waited for did. */
  failed: 1,
  usage: 2,
  notFound: 3,
  /** Also a precondition that does not hold, such as a schema that is behind. */
  conflict: 4,
  auth: 5,
  /** Unreachable, overloaded, or not in time. */
  unavailable: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** As `--help` and the documentation show them. */
export const EXIT_CODE_HELP: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.failed, 'failed; also: the job that was waited for did not succeed'],
  [EXIT.usage, 'the command line, an environment variable or the request is not valid'],
  [EXIT.notFound, 'there is no such job or projection'],
  [EXIT.conflict, 'the state of things forbids it (conflict, schema behind)'],
  [EXIT.auth, 'the API key is missing, unknown or not allowed to do this'],
  [EXIT.unavailable, 'server or database cannot be reached, or not in time'],
  [EXIT.interrupted, 'interrupted'],
];

export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.auth;
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 409 || status === 412) return EXIT.conflict;
  if (status === 429 || status === 503 || status === 504) return EXIT.unavailable;
  return status >= 400 && status < 500 ? EXIT.usage : EXIT.failed;
}
