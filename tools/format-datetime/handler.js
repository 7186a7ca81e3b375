// Handler of format_datetime: writes a date-time as a person would, in five languages.

import { ErrorType } from '../_core/error-types.js';
import {
  DAY_MS, HOUR_MS, MINUTE_MS,
  pad, parseDateTime, parseOffset, printDateTime, printOffset, wallClock,
} from '../_shared/date-time.js';
import { LANGUAGES } from '../_shared/date-words.js';
import { refuse } from '../_shared/refusal.js';

// Longest first; text in square brackets is literal; a single D counts only when it stands alone.
const TOKEN = /\[([^\]]*)\]|YYYY|MMMM|MMM|MM|DD|(?<![A-Za-z])D(?![A-Za-z])|dddd|ddd|HH|mm|ss/g;

export async function execute({ args }) {
  const fault = faultOf(args);
  if (fault) return refuse(ErrorType.VALIDATION, fault);

  const moment = parseDateTime(args.datetime);
  const offsetMinutes =
    args.utc_offset === undefined ? moment.offsetMinutes : parseOffset(args.utc_offset);
  const wall = wallClock(moment.epochMs, offsetMinutes);
  if (wall.year < 0 || wall.year > 9999) {
    return refuse(ErrorType.VALIDATION, 'At that offset the year lies outside 0000 to 9999.');
  }

  const language = LANGUAGES[args.locale];
  const text = args.format === 'relative'
    ? relative(moment.epochMs, parseDateTime(args.now).epochMs, offsetMinutes, language)
    : fill(args.pattern ?? patternFor(args.format, language), wall, language);
  return {
    ok: true,
    data: {
      text,
      datetime: printDateTime(moment.epochMs, offsetMinutes),
      utc_offset: printOffset(offsetMinutes),
      locale: args.locale,
    },
  };
}

/** Rules between arguments: a schema would need a root combinator, which providers refuse. */
function faultOf({ format, pattern, now }) {
  if (format === undefined && pattern === undefined) return 'Give either `format` or `pattern`.';
  if (format !== undefined && pattern !== undefined) return 'Give `format` or `pattern`, not both.';
  if (format === 'relative' && now === undefined) {
    return '`format: "relative"` needs `now`: this tool has no clock of its own.';
  }
  return null;
}

function patternFor(format, language) {
  const patterns = {
    iso_date: 'YYYY-MM-DD',
    iso_time: 'HH:mm:ss',
    weekday: 'dddd',
    long: language.long,
    short: language.short,
  };
  return patterns[format];
}

function fill(pattern, wall, language) {
  const withoutLiterals = pattern.replace(/\[[^\]]*\]/g, '');
  const hasDay = /DD|(?<![A-Za-z])D(?![A-Za-z])/.test(withoutLiterals);
  const { months, weekdays, weekdaysShort } = language;
  // Slavic months stand in the genitive beside a day and in the nominative alone.
  const monthNames = hasDay ? months.inDate : (months.alone ?? months.inDate);
  const values = {
    YYYY: pad(wall.year, 4),
    MMMM: monthNames[wall.month - 1],
    MMM: months.short[wall.month - 1],
    MM: pad(wall.month),
    DD: pad(wall.day),
    D: String(wall.day),
    dddd: weekdays[wall.weekday],
    ddd: weekdaysShort[wall.weekday],
    HH: pad(wall.hour),
    mm: pad(wall.minute),
    ss: pad(wall.second),
  };
  return pattern.replace(TOKEN, (token, literal) => literal ?? values[token]);
}

/** The largest unit of which a whole one has passed, rounded down: 119 minutes are "1 hour". */
function relative(epochMs, nowMs, offsetMinutes, language) {
  const sizeMs = Math.abs(epochMs - nowMs);
  if (sizeMs < 1000) return language.now;
  const [earlierMs, laterMs] = epochMs < nowMs ? [epochMs, nowMs] : [nowMs, epochMs];
  const months = wholeMonths(earlierMs, laterMs, offsetMinutes);
  const steps = [
    ['year', Math.floor(months / 12)],
    ['month', months],
    ['week', Math.floor(sizeMs / (7 * DAY_MS))],
    ['day', Math.floor(sizeMs / DAY_MS)],
    ['hour', Math.floor(sizeMs / HOUR_MS)],
    ['minute', Math.floor(sizeMs / MINUTE_MS)],
    ['second', Math.floor(sizeMs / 1000)],
  ];
  const [unit, number] = steps.find(([, count]) => count > 0);
  const phrase = `${number} ${language.units[unit][language.form(number)]}`;
  return (epochMs < nowMs ? language.past : language.future).replace('{}', phrase);
}

/** Months as the calendar counts them: from the 14th to the 14th, however long the month is. */
function wholeMonths(earlierMs, laterMs, offsetMinutes) {
  const earlier = wallClock(earlierMs, offsetMinutes);
  const later = wallClock(laterMs, offsetMinutes);
  const months = (later.year - earlier.year) * 12 + later.month - earlier.month;
  return restOfMonth(later) < restOfMonth(earlier) ? months - 1 : months;
}

function restOfMonth({ day, hour, minute, second, millisecond }) {
  return (((day * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millisecond;
}
