import { defineJob } from '../define-job.ts';

/** Does nothing and succeeds: for trying things out, and as the end of a chain. */
export const noop = defineJob({
  type: 'noop',
  run: () => null,
});
