// Month names, weekday names and relative phrases of five languages; handlers have no Intl.

/**
 * `inDate` is the month beside a day ("14 марта"), `alone` the month by itself ("март").
 * Weekdays begin with Sunday, as in JavaScript. `units` give the word forms that the language's
 * `form` function chooses from.
 */
export const LANGUAGES = {
  en: {
    months: {
      inDate: list(
        'January February March April May June ' +
          'July August September October November December',
      ),
      short: list('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'),
    },
    weekdays: list('Sunday Monday Tuesday Wednesday Thursday Friday Saturday'),
    weekdaysShort: list('Sun Mon Tue Wed Thu Fri Sat'),
    long: 'dddd, D MMMM YYYY, HH:mm',
    short: 'D MMM YYYY, HH:mm',
    now: 'now',
    past: '{} ago',
    future: 'in {}',
    form: oneOrOther,
    units: units(
      'second seconds', 'minute minutes', 'hour hours',
      'day days', 'week weeks', 'month months', 'year years',
    ),
  },
  de: {
    months: {
      inDate: list(
        'Januar Februar März April Mai Juni ' +
          'Juli August September Oktober November Dezember',
      ),
      short: list('Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'),
    },
    weekdays: list('Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag'),
    weekdaysShort: list('So Mo Di Mi Do Fr Sa'),
    long: 'dddd, D. MMMM YYYY, HH:mm',
    short: 'DD.MM.YYYY, HH:mm',
    now: 'jetzt',
    past: 'vor {}',
    future: 'in {}',
    form: oneOrOther,
    units: units(
      'Sekunde Sekunden', 'Minute Minuten', 'Stunde Stunden',
      'Tag Tagen', 'Woche Wochen', 'Monat Monaten', 'Jahr Jahren',
    ),
  },
  lv: {
    months: {
      inDate: list(
        'janvāris februāris marts aprīlis maijs jūnijs ' +
          'jūlijs augusts septembris oktobris novembris decembris',
      ),
      short: list('janv. febr. marts apr. maijs jūn. jūl. aug. sept. okt. nov. dec.'),
    },
    weekdays: list('svētdiena pirmdiena otrdiena trešdiena ceturtdiena piektdiena sestdiena'),
    weekdaysShort: list('svētd. pirmd. otrd. trešd. ceturtd. piektd. sestd.'),
    long: 'dddd, YYYY. [gada] D. MMMM, HH:mm',
    short: 'DD.MM.YYYY, HH:mm',
    now: 'tagad',
    past: 'pirms {}',
    future: 'pēc {}',
    form: baltic,
    units: units(
      'sekundes sekundēm', 'minūtes minūtēm', 'stundas stundām',
      'dienas dienām', 'nedēļas nedēļām', 'mēneša mēnešiem', 'gada gadiem',
    ),
  },
  ru: {
    months: {
      inDate: list(
        'января февраля марта апреля мая июня ' +
          'июля августа сентября октября ноября декабря',
      ),
      alone: list(
        'январь февраль март апрель май июнь ' +
          'июль август сентябрь октябрь ноябрь декабрь',
      ),
      short: list('янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.'),
    },
    weekdays: list('воскресенье понедельник вторник среда четверг пятница суббота'),
    weekdaysShort: list('вс пн вт ср чт пт сб'),
    long: 'dddd, D MMMM YYYY [г.], HH:mm',
    short: 'DD.MM.YYYY, HH:mm',
    now: 'сейчас',
    past: '{} назад',
    future: 'через {}',
    form: slavic,
    units: units(
      'секунду секунды секунд', 'минуту минуты минут', 'час часа часов',
      'день дня дней', 'неделю недели недель', 'месяц месяца месяцев', 'год года лет',
    ),
  },
  uk: {
    months: {
      inDate: list(
        'січня лютого березня квітня травня червня ' +
          'липня серпня вересня жовтня листопада грудня',
      ),
      alone: list(
        'січень лютий березень квітень травень червень ' +
          'липень серпень вересень жовтень листопад грудень',
      ),
      short: list('січ. лют. бер. квіт. трав. черв. лип. серп. вер. жовт. лист. груд.'),
    },
    weekdays: list('неділя понеділок вівторок середа четвер пʼятниця субота'),
    weekdaysShort: list('нд пн вт ср чт пт сб'),
    long: 'dddd, D MMMM YYYY [р.], HH:mm',
    short: 'DD.MM.YYYY, HH:mm',
    now: 'зараз',
    past: '{} тому',
    future: 'через {}',
    form: slavic,
    units: units(
      'секунду секунди секунд', 'хвилину хвилини хвилин', 'годину години годин',
      'день дні днів', 'тиждень тижні тижнів', 'місяць місяці місяців', 'рік роки років',
    ),
  },
};

function list(words) {
  return words.split(' ');
}

function units(...forms) {
  const [second, minute, hour, day, week, month, year] = forms.map(list);
  return { second, minute, hour, day, week, month, year };
}

/** 1 day, 2 days. */
function oneOrOther(number) {
  return number === 1 ? 0 : 1;
}

/** Latvian: 1 and 21 take the singular, 11 does not. */
function baltic(number) {
  return number % 10 === 1 && number % 100 !== 11 ? 0 : 1;
}

/** Russian and Ukrainian: 1 and 21; 2 to 4 and 22 to 24; all the rest, 11 to 14 among them. */
function slavic(number) {
  const isTeen = number % 100 >= 11 && number % 100 <= 14;
  if (number % 10 === 1 && !isTeen) return 0;
  return number % 10 >= 2 && number % 10 <= 4 && !isTeen ? 1 : 2;
}
