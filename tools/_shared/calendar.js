// Reads the calendar file and says when its owner is busy, and what could not be understood.

import { ToolError, ErrorType } from '../_core/error-types.js';
import { DAY_MS } from './date-time.js';
import { occurrences, parseRule } from './ical-recurrence.js';
import { componentsNamed, parseICalendar, propertiesOf, propertyOf, textOf } from './ical-text.js';
import { makeClock, parseDuration, parseTime, parseTimes } from './ical-time.js';

export const CALENDAR_PATH = 'calendar/calendar.ics';
/** The revision of a calendar that does not exist, so that "still absent" can be checked too. */
export const ABSENT = 'absent';
const PROBLEMS_MAX = 20;

/**
 * Loads the file with the revision it had. The revision is taken before the text: if the file
 * changes in between, a later write sees an old revision and is refused, never the reverse.
 */
export async function loadCalendar(files) {
  let stat;
  let text;
  try {
    stat = await files.stat(CALENDAR_PATH);
    text = stat ? await files.read(CALENDAR_PATH) : '';
  } catch (cause) {
    throw new ToolError(ErrorType.TRANSIENT, `The calendar could not be read: ${cause.message}`, {
      retryable: true,
      partialSideEffects: false,
    });
  }
  if (!stat) return { exists: false, revision: ABSENT, fileRevision: null, text };
  if (!/^\uFEFF?\s*BEGIN:VCALENDAR\s/i.test(text)) {
    throw new ToolError(ErrorType.PERMANENT, `${CALENDAR_PATH} is not an iCalendar file`, {
      retryable: false,
      partialSideEffects: false,
    });
  }
  return { exists: true, revision: String(stat.revision), fileRevision: stat.revision, text };
}

/**
 * Finds every occurrence that blocks time between `window.startMs` and `window.endMs`.
 * Returns `{ busy: [{ startMs, endMs, title }], problems, events, isSound }`, the busy times in
 * order; `isSound` is false for a file whose components do not close as they should.
 */
export function readBusyTimes(text, window, floatingOffsetMinutes) {
  const { root, problems: unreadable, isSound } = parseICalendar(text);
  const problems = new Set(unreadable);
  const clock = makeClock(root, floatingOffsetMinutes);
  const events = componentsNamed(root, 'VEVENT');
  const reading = {
    window,
    clock,
    moved: movedOccurrences(events, clock),
    report: (problem) => problems.add(problem),
  };
  const busy = events
    .filter(blocksTime)
    .flatMap((event) => busyTimesOf(event, reading))
    .sort((left, right) => left.startMs - right.startMs || left.endMs - right.endMs);
  return { busy, problems: [...problems].slice(0, PROBLEMS_MAX), events, isSound };
}

function blocksTime(event) {
  const isFree = propertyOf(event, 'TRANSP')?.value.trim().toUpperCase() === 'TRANSPARENT';
  const isCancelled = propertyOf(event, 'STATUS')?.value.trim().toUpperCase() === 'CANCELLED';
  return !isFree && !isCancelled;
}

/** Occurrences that an event of their own replaces (RECURRENCE-ID), as "uid instant" keys. */
function movedOccurrences(events, clock) {
  const moved = new Set();
  for (const event of events) {
    const original = timeOf(event, 'RECURRENCE-ID');
    if (original) moved.add(occurrenceKey(event, clock.toInstant(original)));
  }
  return moved;
}

function occurrenceKey(event, instantMs) {
  return `${textOf(event, 'UID')} ${instantMs}`;
}

function busyTimesOf(event, { window, clock, moved, report }) {
  const title = titleOf(event);
  const start = timeOf(event, 'DTSTART');
  const lengthMs = start ? lengthOf(event, start, clock) : null;
  if (lengthMs === null || lengthMs < 0) {
    report(`"${title}" has no usable start and end and was left out`);
    return [];
  }
  const excluded = new Set(
    parseTimes(propertiesOf(event, 'EXDATE')).filter(Boolean).map(clock.toInstant),
  );
  const isOverride = propertyOf(event, 'RECURRENCE-ID') !== undefined;
  const busy = wallTimesOf(event, start, { lengthMs, window, clock, report })
    .map((wallMs) => clock.toInstant({ ...start, wallMs }))
    .filter((startMs) => !excluded.has(startMs))
    .filter((startMs) => isOverride || !moved.has(occurrenceKey(event, startMs)))
    .map((startMs) => ({ startMs, endMs: startMs + lengthMs, title }));
  if (!clock.knows(start) && busy.some((time) => overlaps(time, window, DAY_MS))) {
    report(`"${title}" is in time zone "${start.zone}", which the calendar does not define`);
  }
  return busy.filter((time) => overlaps(time, window));
}

/** Half-open: an event that ends when another begins does not overlap it. */
function overlaps(time, window, slackMs = 0) {
  return time.startMs < window.endMs + slackMs && time.endMs > window.startMs - slackMs;
}

export function titleOf(event) {
  return textOf(event, 'SUMMARY') || 'untitled event';
}

function timeOf(event, name) {
  const property = propertyOf(event, name);
  return property ? parseTime(property.value, property.params) : null;
}

/** How long each occurrence lasts; `null` when the file does not say it in a way we can read. */
function lengthOf(event, start, clock) {
  const duration = propertyOf(event, 'DURATION');
  if (duration) return parseDuration(duration.value);
  if (!propertyOf(event, 'DTEND')) return start.isWholeDay ? DAY_MS : 0;
  const end = timeOf(event, 'DTEND');
  if (!end || end.isWholeDay !== start.isWholeDay) return null;
  return clock.toInstant(end) - clock.toInstant(start);
}

/** The wall times at which the event begins, near the window; an unknown rule gives the first. */
function wallTimesOf(event, start, { lengthMs, window, clock, report }) {
  const value = propertyOf(event, 'RRULE')?.value;
  const rule = value === undefined ? undefined : parseRule(value);
  // Before its first occurrence a rule cannot matter, so it is no problem of this window.
  if (clock.toInstant(start) < window.endMs) {
    for (const part of unsupportedParts(event, rule)) {
      report(`"${titleOf(event)}" uses ${part}, which is not supported; some dates may be missing`);
    }
  }
  if (!rule) return [start.wallMs];
  return [
    ...occurrences(start.wallMs, rule, {
      // Wall time and UTC differ by less than a day; one day of slack covers every zone.
      sinceMs: window.startMs - lengthMs - DAY_MS,
      horizonMs: window.endMs + DAY_MS,
      isPastUntil: (wallMs) => isPastUntil({ ...start, wallMs }, rule.until, clock),
    }),
  ];
}

function unsupportedParts(event, rule) {
  const parts = ['RDATE', 'EXRULE'].filter((name) => propertyOf(event, name));
  if (rule === null) parts.push(`RRULE:${propertyOf(event, 'RRULE').value}`);
  const range = propertyOf(event, 'RECURRENCE-ID')?.params.RANGE;
  if (range !== undefined) parts.push(`RANGE=${range}`);
  return parts;
}

function isPastUntil(time, until, clock) {
  if (until === null) return false;
  if (until.isWholeDay) return time.wallMs >= until.wallMs + DAY_MS;
  return until.isUtc ? clock.toInstant(time) > until.wallMs : time.wallMs > until.wallMs;
}
