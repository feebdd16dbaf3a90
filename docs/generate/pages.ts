import { cliPage } from './cli.ts';
import { configurationPage } from './configuration.ts';
import { eventsPage } from './events.ts';

/** Pages that are made from the code, by their place under docs/. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  'cli.md': cliPage,
  'configuration.md': configurationPage,
  'events.md': eventsPage,
};
