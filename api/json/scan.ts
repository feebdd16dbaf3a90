import { escapePointer, type FieldProblem, MAX_DEPTH } from '#domain/json/value';
import { numberProblem } from './number.ts';

interface Container {
  /** Null for an array. */
  readonly keys: Set<string> | null;
  /** The member or item that is being read. */
  token: string | number;
}

const NUMBER = /-?[0-9][0-9.eE+-]*/y;
/** The text itself is one level above what it holds: a body, and a payload in it, may each be as deep as a value may. */
const DEEPEST = MAX_DEPTH + 10;
const MOST_PROBLEMS = 20;

/**
 * Finds what parsing would change in silence: numbers that lose digits, repeated keys, of which one would win, and
 * `__proto__`; and nesting too deep for those who come after. The text must be valid JSON already, which makes the scan
 * simple: strings, numbers and the six structural characters are all it has to tell apart. It never recurses.
 * @param most - The scan ends with so many problems. With fewer, it has seen the whole text.
 */
export function scanJson(text: string, most = MOST_PROBLEMS): FieldProblem[] {
  const open: Container[] = [];
  const problems: FieldProblem[] = [];
  /** Levels below the deepest that are open: of them nothing is told but that they are there. */
  let below = 0;
  const refuse = (detail: string, containers: readonly Container[] = open) => {
    problems.push({ pointer: pointerOf(containers), detail });
  };
  for (let at = 0; at < text.length && problems.length < most; ) {
    const character = text[at] as string;
    const inside = open.at(-1);
    if (character === '"') {
      const string = text.slice(at, stringEnd(text, at));
      at += string.length;
      if (below === 0 && inside?.keys && isKey(text, at)) readKey(inside, inside.keys, string, refuse);
      continue;
    }
    if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = at;
      const number = (NUMBER.exec(text) as RegExpExecArray)[0];
      at += number.length;
      const detail = below === 0 ? numberProblem(number) : undefined;
      if (detail) refuse(detail);
      continue;
    }
    at += 1;
    if (open.length === DEEPEST && (character === '{' || character === '[')) {
      if (below === 0) refuse(`must not be nested deeper than ${MAX_DEPTH} levels`, open.slice(0, 3));
      below += 1;
    } else if (below > 0) {
      if (character === '}' || character === ']') below -= 1;
    } else if (character === '{') open.push({ keys: new Set(), token: '' });
    else if (character === '[') open.push({ keys: null, token: 0 });
    else if (character === '}' || character === ']') open.pop();
    else if (character === ',' && inside && typeof inside.token === 'number') inside.token += 1;
  }
  return problems;
}

/** Index after the closing quote. A search rather than a pattern, since a string may have a quarter of a million letters. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before -= 1;
  return (at - before) % 2 === 1;
}

function isKey(text: string, after: number): boolean {
  let at = after;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\t' || text[at] === '\r') at += 1;
  return text[at] === ':';
}

function readKey(inside: Container, keys: Set<string>, string: string, refuse: (detail: string) => void): void {
  const key = string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1);
  inside.token = key;
  if (key === '__proto__') refuse('is not allowed as a key');
  else if (keys.has(key)) refuse('is given more than once');
  keys.add(key);
}

function pointerOf(containers: readonly Container[]): string {
  return containers.map(({ token }) => `/${escapePointer(String(token))}`).join('');
}
