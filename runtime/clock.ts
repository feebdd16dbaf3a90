/**
 * The one clock of an installation. Everything that stamps or compares instants asks it; nothing else reads the
 * machine's own time.
 */
export interface Clock {
  /** Epoch milliseconds, whole. */
  now(): number;
}
