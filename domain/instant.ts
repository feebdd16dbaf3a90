import { LAST_INSTANT } from './job/limits.ts';

const DAY_MS = 86_400_000;
/** 0000-01-01T00:00:00.000Z. */
const FIRST_INSTANT = -62_167_219_200_000;
/** From 0000-03-01. */
const DAYS_BEFORE_1970 = 719_468;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** The day that was written last: nearly every instant of a process lies in it, and its date is the dear part of the text. */
const lastDay = { number: Number.NaN, text: '' };

/**
 * Instants are epoch milliseconds inside the program and RFC 3339 text in UTC with milliseconds in events and answers.
 */
export function toInstantText(epochMs: number): string {
  const instant = Math.trunc(epochMs);
  const day = Math.floor(instant / DAY_MS);
  const ms = instant - day * DAY_MS;
  const second = Math.floor(ms / 1000);
  const minute = Math.floor(second / 60);
  const time = `${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}`;
  return `${dayText(day)}T${time}.${THREE_DIGITS[ms % 1000]}Z`;
}

/** @throws RangeError as `Date` does, for what is no instant. */
function dayText(day: number): string {
  if (day !== lastDay.number) {
    lastDay.text = new Date(day * DAY_MS).toISOString().split('T', 1)[0] as string;
    lastDay.number = day;
  }
  return lastDay.text;
}

/** As `toInstantText` writes them. */
const OURS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Reads an RFC 3339 date-time with any offset; digits beyond milliseconds are cut off.
 * @returns Epoch milliseconds, or undefined when the text is no such instant (30 February, a missing offset, year 10000).
 */
export function parseInstant(text: string): number | undefined {
  if (OURS.test(text)) return withinCalendar(text, twoDigits(text, 20) * 10 + digit(text, 22));
  const match = RFC_3339.exec(text);
  if (!match) return undefined;
  const [, fraction = '', sign, hours = '00', minutes = '00'] = match;
  if (hours > '23' || minutes > '59') return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  return withinCalendar(text, Number(fraction.padEnd(3, '0').slice(0, 3)) - offset);
}

/** The date and time of day that begin the text, and so many milliseconds; undefined when no calendar or clock has them. */
function withinCalendar(text: string, milliseconds: number): number | undefined {
  const [year, month, day] = [twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const time = ((hour * 60 + minute) * 60 + second) * 1000;
  const instant = dayNumber(year, month, day) * DAY_MS + time + milliseconds;
  return instant > LAST_INSTANT || instant < FIRST_INSTANT ? undefined : instant;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01 in the Gregorian calendar: years begin in March here, so that the leap day comes last. */
function dayNumber(year: number, month: number, day: number): number {
  const sinceMarch = (month + 9) % 12;
  const years = sinceMarch > 9 ? year - 1 : year;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((sinceMarch * 153 + 2) / 5) + day - 1 - DAYS_BEFORE_1970;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}

/** An instant some seconds (fractions allowed) after another; never before it, never beyond the last instant. */
export function plusSeconds(instant: number, seconds: number): number {
  const milliseconds = Number.isNaN(seconds) ? 0 : Math.max(0, Math.round(seconds * 1000));
  return Math.min(LAST_INSTANT, instant + milliseconds);
}
