import { readFile } from 'node:fs/promises';
import { text as textOfStream } from 'node:stream/consumers';
import { scanJson } from '#api/json/scan';
import type { JsonObject, JsonValue } from '#domain/json/value';
import { CommandFailure } from './command-failure.ts';
import { EXIT } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/**
 * A JSON object given as an argument: the text itself, `@file`, or `-` for standard input. What parsing would change
 * without a word (numbers beyond a double, repeated keys) is refused here, since the server would never see it.
 * @throws CommandFailure
 */
export async function readJsonObject(argument: string, option: string, terminal: Terminal): Promise<JsonObject> {
  const text = await textOf(argument, option, terminal);
  const value = parse(text, option);
  const [problem] = scanJson(text);
  if (problem) throw new CommandFailure(EXIT.usage, `${option}: ${problem.pointer || 'it'} ${problem.detail}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandFailure(EXIT.usage, `${option} must be a JSON object`);
  }
  return value as JsonObject;
}

async function textOf(argument: string, option: string, { stdin }: Terminal): Promise<string> {
  if (argument === '-') return await textOfStream(stdin);
  if (!argument.startsWith('@')) return argument;
  const path = argument.slice(1);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(
      EXIT.usage,
      `${option}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

function parse(text: string, option: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `${option} is not valid JSON: ${(error as Error).message}`);
  }
}
