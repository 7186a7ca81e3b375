// Handler of calendar_get_availability: finds free time in the calendar (the plan).

import { ErrorType } from '../_core/error-types.js';
import { CALENDAR_PATH, loadCalendar, readBusyTimes } from '../_shared/calendar.js';
import { DAY_MS, MINUTE_MS, parseDateTime, printDateTime } from '../_shared/date-time.js';
import { refuse } from '../_shared/refusal.js';

const WINDOW_DAYS_MAX = 31;
const SLOTS_MAX = 100;

export async function execute({ args, context }) {
  const from = parseDateTime(args.from);
  const window = { startMs: from.epochMs, endMs: parseDateTime(args.to).epochMs };
  const fault = faultOf(window, args.working_hours);
  if (fault) return refuse(ErrorType.VALIDATION, fault);

  const calendar = await loadCalendar(context.files);
  const { busy, problems } = readBusyTimes(calendar.text, window, from.offsetMinutes);
  if (!calendar.exists) problems.push(`${CALENDAR_PATH} does not exist; all time looks free`);

  const slots = openHours(window, args.working_hours, from.offsetMinutes)
    .flatMap((span) => freeParts(span, busy))
    .filter(({ startMs, endMs }) => endMs - startMs >= args.duration_minutes * MINUTE_MS);

  const data = {
    slots: slots.slice(0, SLOTS_MAX).map((slot) => printSlot(slot, from.offsetMinutes)),
    busy_count: busy.length,
    duration_minutes: args.duration_minutes,
    calendar_revision: calendar.revision,
    truncated: slots.length > SLOTS_MAX,
  };
  // Free time that rests on a calendar half understood must not look certain.
  if (problems.length > 0) Object.assign(data, { degraded: true, problems });
  return { ok: true, data };
}

/** Rules between arguments, which the schema cannot express. */
function faultOf({ startMs, endMs }, workingHours) {
  if (endMs <= startMs) return '`to` must be later than `from`.';
  if (endMs - startMs > WINDOW_DAYS_MAX * DAY_MS) {
    return `\`from\` and \`to\` may be at most ${WINDOW_DAYS_MAX} days apart; ask in parts.`;
  }
  if (workingHours && minutesOf(workingHours.end) <= minutesOf(workingHours.start)) {
    return '`working_hours.end` must be later than `working_hours.start` on the same day.';
  }
  return null;
}

/** The parts of the window in which a slot may lie: all of it, or the working hours of each day. */
function openHours(window, workingHours, offsetMinutes) {
  if (!workingHours) return [window];
  const offsetMs = offsetMinutes * MINUTE_MS;
  const firstDayMs = Math.floor((window.startMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
  const spans = [];
  for (let dayMs = firstDayMs; dayMs < window.endMs; dayMs += DAY_MS) {
    const startMs = Math.max(window.startMs, dayMs + minutesOf(workingHours.start) * MINUTE_MS);
    const endMs = Math.min(window.endMs, dayMs + minutesOf(workingHours.end) * MINUTE_MS);
    if (startMs < endMs) spans.push({ startMs, endMs });
  }
  return spans;
}

function minutesOf(clock) {
  const [hours, minutes] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

/** What is left of a span when the busy times, given in order, are taken out. */
function freeParts(span, busy) {
  const parts = [];
  let freeSinceMs = span.startMs;
  for (const { startMs, endMs } of busy) {
    if (endMs <= freeSinceMs) continue;
    if (startMs >= span.endMs) break;
    if (startMs > freeSinceMs) parts.push({ startMs: freeSinceMs, endMs: startMs });
    freeSinceMs = endMs;
  }
  if (freeSinceMs < span.endMs) parts.push({ startMs: freeSinceMs, endMs: span.endMs });
  return parts;
}

function printSlot({ startMs, endMs }, offsetMinutes) {
  return {
    start: printDateTime(startMs, offsetMinutes),
    end: printDateTime(endMs, offsetMinutes),
    minutes: Math.floor((endMs - startMs) / MINUTE_MS),
  };
}
