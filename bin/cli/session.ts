import type { Command } from 'commander';
import { type Client, createClient } from '#client/client';
import { type Config, loadConfig } from '#runtime/config';
import { type Format, Printer } from './printer.ts';
import type { Terminal } from './terminal.ts';

/** What a command works with. */
export interface Session {
  readonly terminal: Terminal;
  readonly config: Config;
  /** Names in the environment that look like ours and are not known. */
  readonly warnings: readonly string[];
  readonly printer: Printer;
  readonly client: Client;
  /** Where `client` speaks to. */
  readonly url: string;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly quiet?: boolean;
  readonly url?: string;
  readonly apiKey?: string;
}

/** @throws ConfigError when a variable of the environment is not valid. */
export function openSession(command: Command, terminal: Terminal): Session {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { config, warnings } = loadConfig(terminal.env);
  const url = options.url ?? config.url;
  const apiKey = options.apiKey ?? config.apiKey;
  return {
    terminal,
    config,
    warnings,
    printer: new Printer(terminal, formatOf(options)),
    client: createClient({ url, ...(apiKey !== null && { apiKey }) }),
    url,
  };
}

function formatOf({ json, jsonl, quiet }: GlobalOptions): Format {
  if (json) return 'json';
  if (jsonl) return 'jsonl';
  return quiet ? 'quiet' : 'text';
}
