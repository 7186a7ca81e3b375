// Reads and prints RFC 3339 date-times: an instant, and the UTC offset it was written with.

import { ToolError, ErrorType } from '../_core/error-types.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:?\d\d)$/;

/** `"2026-12-07T09:00:00+02:00"` becomes `{ epochMs, offsetMinutes: 120 }`. */
export function parseDateTime(text) {
  const match = DATE_TIME.exec(text);
  if (!match) {
    // The schema asserts the format, so this is reached only where a host does not.
    throw new ToolError(ErrorType.VALIDATION, `"${text}" is not an RFC 3339 date-time`, {
      retryable: false,
    });
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const milliseconds = Number(`${match[7] ?? ''}000`.slice(0, 3));
  const offsetMinutes = parseOffset(match[8]);
  const wallMs = utcMs(year, month, day, hour, minute, second) + milliseconds;
  return { epochMs: wallMs - offsetMinutes * MINUTE_MS, offsetMinutes };
}

/** `"+02:00"` becomes 120, `"Z"` becomes 0. */
export function parseOffset(text) {
  if (/^z$/i.test(text)) return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(-2));
  // `|| 0` turns the minus zero of "-00:00" into a plain zero.
  return (text[0] === '-' ? -minutes : minutes) || 0;
}

/** Like `Date.UTC`, but the years 0 to 99 mean themselves and not 1900 to 1999. */
export function utcMs(year, month, day, hour = 0, minute = 0, second = 0) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second, 0);
  return date.getTime();
}

/** What a clock and a calendar on the wall show at that instant, at that offset. */
export function wallClock(epochMs, offsetMinutes) {
  const date = new Date(epochMs + offsetMinutes * MINUTE_MS);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    weekday: date.getUTCDay(), // 0 is Sunday
  };
}

/** The RFC 3339 spelling of an instant at an offset; a fraction appears only when there is one. */
export function printDateTime(epochMs, offsetMinutes) {
  const wall = wallClock(epochMs, offsetMinutes);
  const date = `${pad(wall.year, 4)}-${pad(wall.month)}-${pad(wall.day)}`;
  const time = `${pad(wall.hour)}:${pad(wall.minute)}:${pad(wall.second)}`;
  const fraction = wall.millisecond === 0 ? '' : `.${pad(wall.millisecond, 3)}`;
  return `${date}T${time}${fraction}${offsetMinutes === 0 ? 'Z' : printOffset(offsetMinutes)}`;
}

/** 120 becomes `"+02:00"`. */
export function printOffset(offsetMinutes) {
  const size = Math.abs(offsetMinutes);
  return `${offsetMinutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

export function pad(number, width = 2) {
  return String(number).padStart(width, '0');
}
