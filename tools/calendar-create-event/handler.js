// Handler of calendar_create_event: writes one event into the calendar (the commit).

import { ToolError, ErrorType } from '../_core/error-types.js';
import { CALENDAR_PATH, loadCalendar, readBusyTimes, titleOf } from '../_shared/calendar.js';
import { parseDateTime, printDateTime } from '../_shared/date-time.js';
import { escapeText, printLines, propertyOf, textOf } from '../_shared/ical-text.js';
import { refuse } from '../_shared/refusal.js';

const EMPTY_CALENDAR = printLines([
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Ghosthand//calendar_create_event 1.0.0//EN',
  'END:VCALENDAR',
]);

export async function execute({ args, context }) {
  const start = parseDateTime(args.start_time);
  // iCalendar counts in whole seconds, so everything below does too.
  const window = {
    startMs: wholeSeconds(start.epochMs),
    endMs: wholeSeconds(parseDateTime(args.end_time).epochMs),
  };
  if (window.endMs <= window.startMs) {
    return refuse(ErrorType.VALIDATION, '`end_time` must be later than `start_time`.');
  }

  // Read: what does the calendar say now?
  const calendar = await loadCalendar(context.files);
  const reading = readBusyTimes(calendar.text, window, start.offsetMinutes);
  if (!reading.isSound) {
    return refuse(ErrorType.PERMANENT, `${CALENDAR_PATH} is damaged; a person must repair it.`);
  }
  const uid = `${encodeURIComponent(context.call.idempotencyKey)}@ghosthand`;
  const twin = reading.events.find((event) => textOf(event, 'UID') === uid);
  if (twin) return answerForTwin(twin, { args, window, start, uid, calendar });

  // Check: does the plan still hold?
  const conflict = conflictOf(args, calendar, reading.busy, start.offsetMinutes);
  if (conflict) return refuse(ErrorType.CONFLICT, conflict);

  // Write: only if the file is still the one we read.
  const before = calendar.exists ? calendar.text : EMPTY_CALENDAR;
  const text = withEvent(before, eventLines(uid, window, args));
  let written;
  try {
    written = await context.files.write(CALENDAR_PATH, text, {
      expectedRevision: calendar.fileRevision,
    });
  } catch (cause) {
    if (cause.code === 'CONFLICT') return refuse(ErrorType.CONFLICT, changedMessage());
    // The write is atomic: when it fails, nothing of it is there.
    throw new ToolError(ErrorType.TRANSIENT, 'The calendar could not be written', {
      retryable: true,
      partialSideEffects: false,
    });
  }

  context.audit.log('calendar_event_created', { uid, attendees: args.attendees.length });
  const revision = String(written.revision);
  return answer('created', { args, window, start, uid, revision, problems: reading.problems });
}

function wholeSeconds(epochMs) {
  return Math.floor(epochMs / 1000) * 1000;
}

/** The same call again, after its answer got lost: the event is there and is not written twice. */
function answerForTwin(twin, { args, window, start, uid, calendar }) {
  const isSame =
    propertyOf(twin, 'SUMMARY')?.value === escapeText(args.title) &&
    propertyOf(twin, 'DTSTART')?.value === utcStamp(window.startMs) &&
    propertyOf(twin, 'DTEND')?.value === utcStamp(window.endMs);
  if (!isSame) {
    return refuse(
      ErrorType.CONFLICT,
      `This call has already written another event, "${titleOf(twin)}". Make a new call.`,
    );
  }
  const revision = calendar.revision;
  return answer('already_created', { args, window, start, uid, revision, problems: [] });
}

function conflictOf(args, calendar, busy, offsetMinutes) {
  if (args.calendar_revision !== undefined && args.calendar_revision !== calendar.revision) {
    return changedMessage();
  }
  if (busy.length === 0) return null;
  const [{ startMs, endMs, title }] = busy;
  const span = `${printDateTime(startMs, offsetMinutes)} to ${printDateTime(endMs, offsetMinutes)}`;
  return `The time overlaps "${title}" (${span}). Call calendar_get_availability for free slots.`;
}

function changedMessage() {
  return (
    'The calendar has changed since it was read. ' +
    'Call calendar_get_availability again and confirm the time with the user.'
  );
}

function eventLines(uid, { startMs, endMs }, { title, description, location, attendees }) {
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${utcStamp(Date.now())}`,
    `DTSTART:${utcStamp(startMs)}`,
    `DTEND:${utcStamp(endMs)}`,
    `SUMMARY:${escapeText(title)}`,
    ...(description === undefined ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    ...(location === undefined ? [] : [`LOCATION:${escapeText(location)}`]),
    ...attendees.map((email) => `ATTENDEE;ROLE=REQ-PARTICIPANT:${mailtoOf(email)}`),
    'END:VEVENT',
  ];
}

/** `20261208T093000Z` */
function utcStamp(epochMs) {
  return printDateTime(wholeSeconds(epochMs), 0).replace(/[-:]/g, '');
}

function mailtoOf(email) {
  const at = email.lastIndexOf('@');
  const local = encodeURIComponent(email.slice(0, at)).replaceAll('%2B', '+');
  return `mailto:${local}@${encodeURIComponent(email.slice(at + 1))}`;
}

/** The calendar with the event before its last line, all lines ended as RFC 5545 wants them. */
function withEvent(text, lines) {
  const calendar = text.replace(/\r?\n/g, '\r\n');
  const { index } = [...calendar.matchAll(/^END:VCALENDAR/gim)].at(-1);
  return `${calendar.slice(0, index)}${printLines(lines)}${calendar.slice(index)}`;
}

function answer(status, { args, window, start, uid, revision, problems }) {
  const data = {
    status,
    uid,
    title: args.title,
    start_time: printDateTime(window.startMs, start.offsetMinutes),
    end_time: printDateTime(window.endMs, start.offsetMinutes),
    attendees: args.attendees,
    calendar_revision: revision,
  };
  if (problems.length > 0) Object.assign(data, { degraded: true, problems });
  return { ok: true, data };
}
