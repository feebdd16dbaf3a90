import { LAST_INSTANT } from './job/limits.ts';

/**
 * Instants are epoch milliseconds inside the program and RFC 3339 text in UTC with milliseconds in events and answers.
 */
export function toInstantText(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 date-time with any offset; digits beyond milliseconds are cut off.
 * @returns Epoch milliseconds, or undefined when the text is no such instant (30 February, a missing offset, year 10000).
 */
export function parseInstant(text: string): number | undefined {
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const milliseconds = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const [offsetHours, offsetMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHours * 60 + offsetMinutes) * 60_000;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, milliseconds);
  const instant = local.getTime() - offset;
  return instant > LAST_INSTANT || instant < -62_167_219_200_000 ? undefined : instant;
}

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** An instant some seconds (fractions allowed) after another; never before it, never beyond the last instant. */
export function plusSeconds(instant: number, seconds: number): number {
  const milliseconds = Number.isNaN(seconds) ? 0 : Math.max(0, Math.round(seconds * 1000));
  return Math.min(LAST_INSTANT, instant + milliseconds);
}
