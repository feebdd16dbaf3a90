import type { RetryPolicy } from '#domain/job/retry';

/** How long to wait between attempts, with the defaults left out. */
export type RetryOptions =
  | { readonly strategy: 'fixed'; readonly delaySeconds: number; readonly jitter?: number }
  | {
      readonly strategy: 'linear';
      readonly baseSeconds?: number;
      readonly capSeconds?: number;
      readonly jitter?: number;
    }
  | {
      readonly strategy: 'exponential';
      readonly baseSeconds?: number;
      readonly factor?: number;
      readonly capSeconds?: number;
      readonly jitter?: number;
    }
  | { readonly strategy: 'list'; readonly delaysSeconds: readonly number[]; readonly jitter?: number };

const NAMES = new Map([
  ['delaySeconds', 'delay_seconds'],
  ['baseSeconds', 'base_seconds'],
  ['capSeconds', 'cap_seconds'],
  ['delaysSeconds', 'delays_seconds'],
]);

/** The policy in the API's words. Unknown names stay as they are, so that whoever checks the request names them. */
export function retryRequest(retry: RetryOptions): RetryPolicy {
  const entries = Object.entries(retry).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [NAMES.get(name) ?? name, value])) as never;
}
