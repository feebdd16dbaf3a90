const SHORTEST_MS = 20;
const LONGEST_MS = 100;
const EVENTS_PER_MS = 10;

/**
 * How long a projector lets events gather behind a page that was not full, in milliseconds since it began with the page.
 * What comes after a pause is applied at once; what follows on its heels goes together with what follows that, so that a
 * job which is claimed and done within the time costs one row written instead of two. The busier the log, the longer: at a
 * thousand jobs a second it is the shortest time, which leaves a read table some 30 ms behind.
 */
export function lingerMs(eventsInPage: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, eventsInPage / EVENTS_PER_MS));
}
