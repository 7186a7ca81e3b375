// Turns iCalendar times into instants: UTC, time zones defined in the file, floating, whole days.

import { DAY_MS, HOUR_MS, MINUTE_MS, utcMs } from './date-time.js';
import { componentsNamed, propertiesOf, propertyOf, textOf } from './ical-text.js';

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/;
const DURATION = /^([+-])?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
export const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/**
 * Reads one value. `wallMs` is what the wall clock shows, counted as if it were UTC: recurrence
 * moves in wall time, and only then does a zone turn the wall into an instant.
 */
export function parseTime(value, params = {}) {
  const match = TIME.exec(value.trim());
  if (!match) return null;
  const [year, month, day] = match.slice(1, 4).map(Number);
  const [hour, minute, second] = match.slice(4, 7).map((part) => Number(part ?? 0));
  if (!isDate(year, month, day) || hour > 23 || minute > 59 || second > 60) return null;
  const wallMs = utcMs(year, month, day, hour, minute, second);
  const isWholeDay = match[4] === undefined;
  const zone = isWholeDay ? undefined : params.TZID;
  return { wallMs, isWholeDay, isUtc: match[7] === 'Z', zone };
}

/** Refuses 30 February, which date arithmetic would quietly turn into March. */
function isDate(year, month, day) {
  const date = new Date(utcMs(year, month, day));
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day;
}

/** Every time of a list property such as EXDATE. */
export function parseTimes(properties) {
  return properties.flatMap(({ value, params }) =>
    value.split(',').map((part) => parseTime(part, params)),
  );
}

/** `"PT1H30M"` becomes milliseconds, anything else `null`. */
export function parseDuration(value) {
  const match = DURATION.exec(value.trim());
  if (!match || match.slice(2).every((part) => part === undefined)) return null;
  const [weeks, days, hours, minutes, seconds] = match.slice(2).map((part) => Number(part ?? 0));
  const size =
    (weeks * 7 + days) * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1000;
  return match[1] === '-' ? -size : size;
}

/**
 * Makes the clock of one file: `toInstant` turns a parsed time into an instant, `knows` says
 * whether its zone is defined. Floating times and whole days have no zone, so they take the
 * offset of whoever asks; so do times in an unknown zone, for want of anything better.
 */
export function makeClock(root, floatingOffsetMinutes) {
  const zones = new Map(
    componentsNamed(root, 'VTIMEZONE').map((zone) => [textOf(zone, 'TZID'), readZone(zone)]),
  );
  function toInstant(time) {
    if (time.isUtc) return time.wallMs;
    const zone = zones.get(time.zone);
    const offsetMinutes = zone ? offsetAt(zone, time.wallMs) : floatingOffsetMinutes;
    return time.wallMs - offsetMinutes * MINUTE_MS;
  }
  function knows(time) {
    return time.isUtc || time.zone === undefined || Boolean(zones.get(time.zone));
  }
  return { toInstant, knows };
}

/** The observances of a VTIMEZONE, or `null` when one of them cannot be understood. */
function readZone(component) {
  const observances = component.children.map(readObservance);
  return observances.length > 0 && observances.every(Boolean) ? observances : null;
}

function readObservance(component) {
  const from = parseUtcOffset(propertyOf(component, 'TZOFFSETFROM')?.value);
  const to = parseUtcOffset(propertyOf(component, 'TZOFFSETTO')?.value);
  const start = parseTime(propertyOf(component, 'DTSTART')?.value ?? '');
  const rule = propertyOf(component, 'RRULE')?.value;
  const yearly = rule === undefined ? undefined : parseYearlyRule(rule);
  if (from === null || to === null || start === null || yearly === null) return null;
  const extra = parseTimes(propertiesOf(component, 'RDATE')).filter(Boolean);
  return { from, to, yearly, startMs: start.wallMs, onceMs: extra.map((time) => time.wallMs) };
}

function parseUtcOffset(value = '') {
  const match = /^([+-])(\d\d)(\d\d)(?:\d\d)?$/.exec(value.trim());
  if (!match) return null;
  const minutes = Number(match[2]) * 60 + Number(match[3]);
  return match[1] === '-' ? -minutes : minutes;
}

/** Zones change on a rule like "the last Sunday of March"; no other shape is understood. */
function parseYearlyRule(rule) {
  const parts = Object.fromEntries(rule.split(';').map((part) => part.toUpperCase().split('=')));
  const { FREQ, BYMONTH, BYDAY, UNTIL, WKST: _, ...unknown } = parts;
  const day = /^([+-]?[1-5])(SU|MO|TU|WE|TH|FR|SA)$/.exec(BYDAY ?? '');
  const month = Number(BYMONTH);
  const until = UNTIL === undefined ? { wallMs: Infinity } : parseTime(UNTIL);
  const isKnown = FREQ === 'YEARLY' && month >= 1 && month <= 12 && day && until;
  if (!isKnown || Object.keys(unknown).length > 0) return null;
  return {
    month,
    ordinal: Number(day[1]),
    weekday: WEEKDAYS.indexOf(day[2]),
    // UNTIL is in UTC while onsets are wall times; a day of slack never reaches the next year.
    untilMs: until.wallMs + DAY_MS,
  };
}

/** The offset in force: that of the observance which began last. */
function offsetAt(observances, wallMs) {
  let latest = null;
  for (const observance of observances) {
    // A wall time skipped by a forward change still belongs to the offset before the change.
    const skippedMs = Math.max(0, observance.to - observance.from) * MINUTE_MS;
    const onsetMs = latestOnset(observance, wallMs - skippedMs);
    if (onsetMs !== null && (latest === null || onsetMs > latest.onsetMs)) {
      latest = { onsetMs, offset: observance.to };
    }
  }
  if (latest) return latest.offset;
  return observances.reduce((first, next) => (next.startMs < first.startMs ? next : first)).from;
}

function latestOnset({ startMs, onceMs, yearly }, wallMs) {
  const year = new Date(wallMs).getUTCFullYear();
  const yearlyMs = yearly
    ? [year, year - 1].map((each) => nthWeekday(each, yearly) + (startMs % DAY_MS))
    : [];
  const inForce = yearlyMs.filter((onset) => onset >= startMs && onset <= yearly.untilMs);
  const reached = [startMs, ...onceMs, ...inForce].filter((onset) => onset <= wallMs);
  return reached.length > 0 ? Math.max(...reached) : null;
}

function nthWeekday(year, { month, ordinal, weekday }) {
  if (ordinal > 0) {
    const firstMs = utcMs(year, month, 1);
    const ahead = (weekday - new Date(firstMs).getUTCDay() + 7) % 7;
    return firstMs + (ahead + (ordinal - 1) * 7) * DAY_MS;
  }
  const lastMs = utcMs(year, month + 1, 1) - DAY_MS;
  const back = (new Date(lastMs).getUTCDay() - weekday + 7) % 7;
  return lastMs - (back + (-ordinal - 1) * 7) * DAY_MS;
}
