// Expands the recurrence rules that a workshop calendar needs: daily and weekly.

import { DAY_MS } from './date-time.js';
import { WEEKDAYS, parseTime } from './ical-time.js';

const KNOWN_PARTS = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST']);

/** Parses an RRULE value; `null` means that we cannot honour it and must say so. */
export function parseRule(value) {
  const parts = Object.fromEntries(
    value.trim().toUpperCase().split(';').map((part) => part.split('=')),
  );
  const days = parts.BYDAY === undefined ? null : parts.BYDAY.split(',');
  const until = parts.UNTIL === undefined ? null : parseTime(parts.UNTIL);
  const rule = {
    isWeekly: parts.FREQ === 'WEEKLY',
    interval: Number(parts.INTERVAL ?? 1),
    count: parts.COUNT === undefined ? Infinity : Number(parts.COUNT),
    until,
    weekdays: days?.map((day) => WEEKDAYS.indexOf(day)) ?? null,
    weekStart: WEEKDAYS.indexOf(parts.WKST ?? 'MO'),
  };
  const isSupported =
    ['DAILY', 'WEEKLY'].includes(parts.FREQ) &&
    Object.keys(parts).every((part) => KNOWN_PARTS.has(part)) &&
    isPositiveInteger(rule.interval) &&
    (rule.count === Infinity || isPositiveInteger(rule.count)) &&
    (parts.UNTIL === undefined || until !== null) &&
    (rule.weekdays === null || !rule.weekdays.includes(-1)) &&
    rule.weekStart !== -1;
  return isSupported ? rule : null;
}

function isPositiveInteger(number) {
  return Number.isInteger(number) && number > 0;
}

/**
 * Yields the wall times of the occurrences up to `horizonMs`, the first one always included.
 * `isPastUntil` is the caller's, because UNTIL may be in UTC and only the caller knows the zone.
 * Occurrences long before `sinceMs` are skipped by arithmetic, except under COUNT, which counts.
 */
export function* occurrences(startMs, rule, { sinceMs, horizonMs, isPastUntil }) {
  if (startMs > horizonMs) return;
  yield startMs;
  let seen = 1;
  const timeOfDayMs = ((startMs % DAY_MS) + DAY_MS) % DAY_MS;
  const firstDayMs = startMs - timeOfDayMs;
  const anchorMs = rule.isWeekly ? weekStartOf(firstDayMs, rule.weekStart) : firstDayMs;
  const stepMs = rule.interval * (rule.isWeekly ? 7 : 1) * DAY_MS;
  const skipped = Math.floor((sinceMs - anchorMs) / stepMs) - 1;
  const firstStep = rule.count === Infinity ? Math.max(0, skipped) : 0;

  for (let step = firstStep; anchorMs + step * stepMs <= horizonMs; step += 1) {
    for (const dayMs of daysOfStep(anchorMs + step * stepMs, firstDayMs, rule)) {
      const wallMs = dayMs + timeOfDayMs;
      if (wallMs <= startMs) continue;
      if (wallMs > horizonMs || isPastUntil(wallMs) || seen >= rule.count) return;
      seen += 1;
      yield wallMs;
    }
  }
}

function daysOfStep(stepDayMs, firstDayMs, rule) {
  if (!rule.isWeekly) {
    const fits = rule.weekdays === null || rule.weekdays.includes(weekdayOf(stepDayMs));
    return fits ? [stepDayMs] : [];
  }
  const weekdays = rule.weekdays ?? [weekdayOf(firstDayMs)];
  return [0, 1, 2, 3, 4, 5, 6]
    .map((day) => stepDayMs + day * DAY_MS)
    .filter((dayMs) => weekdays.includes(weekdayOf(dayMs)));
}

function weekStartOf(dayMs, weekStart) {
  return dayMs - ((weekdayOf(dayMs) - weekStart + 7) % 7) * DAY_MS;
}

function weekdayOf(dayMs) {
  return new Date(dayMs).getUTCDay();
}
