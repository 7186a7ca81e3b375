// What the page says, in English, Ukrainian and Russian. Words about trouble come from the server.

export const LOCALES = { en: "English", uk: "Українська", ru: "Русский" };

let chosen = remembered() ?? preferred();

export const locale = () => chosen;

export function choose(name) {
  chosen = name;
  try {
    localStorage.setItem("cards-locale", name);
  } catch {
    /* storage may be switched off */
  }
}

/** The words of a name; `{n}` and the like are filled in. */
export function t(name, values = {}) {
  const text = WORDS[name]?.[Object.keys(LOCALES).indexOf(chosen)] ?? name;
  return text.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** What a language is called here. */
export function language(code) {
  try {
    return new Intl.DisplayNames([chosen], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

export const number = (value) => new Intl.NumberFormat(chosen).format(value);

function remembered() {
  try {
    const name = localStorage.getItem("cards-locale");
    return name && Object.hasOwn(LOCALES, name) ? name : null;
  } catch {
    return null;
  }
}

function preferred() {
  const bases = navigator.languages.map((one) => one.split("-")[0].toLowerCase());
  return bases.find((base) => Object.hasOwn(LOCALES, base)) ?? "en";
}

const WORDS = {
  title: ["Flashcards", "Картки", "Карточки"],
  skip: ["Skip to the content", "До вмісту", "К содержанию"],
  home: ["Ghostpad, the chat", "Ghostpad, розмови", "Ghostpad, разговоры"],
  uiLanguage: ["Language of this page", "Мова сторінки", "Язык страницы"],
  theme: ["Light or dark", "Світло чи темно", "Светло или темно"],
  modes: ["Views", "Режими", "Режимы"],
  text: ["Text", "Текст", "Текст"],
  flash: ["Flashcards", "Картки", "Карточки"],
  reading: ["Reading", "Читання", "Чтение"],
  translation: ["Translation", "Переклад", "Перевод"],
  edit: ["Edit", "Правки", "Правка"],
  newText: ["A text in, cards out", "Текст сюди, картки звідти", "Текст сюда, карточки оттуда"],
  intro: [
    "Paste a text in a language that you learn. Every word and phrase becomes a card with its sentence.",
    "Вставте текст мовою, яку вивчаєте. Кожне слово й вислів стане карткою зі своїм реченням.",
    "Вставьте текст на языке, который учите. Каждое слово и выражение станет карточкой со своим предложением.",
  ],
  from: ["Language of the text", "Мова тексту", "Язык текста"],
  to: ["Translate into", "Перекласти на", "Перевести на"],
  name: ["Name", "Назва", "Название"],
  nameHint: ["The first words, if empty", "Якщо порожньо — перші слова", "Если пусто — первые слова"],
  yourText: ["Your text", "Ваш текст", "Ваш текст"],
  characters: ["{n} of {max} characters", "{n} з {max} знаків", "{n} из {max} знаков"],
  tooLong: ["{n} characters too many", "Зайвих знаків: {n}", "Лишних знаков: {n}"],
  batch: ["As a batch: half the price, within a day", "Пакетом: удвічі дешевше, протягом доби", "Пакетом: вдвое дешевле, в течение суток"],
  make: ["Make cards", "Зробити картки", "Сделать карточки"],
  sendBatch: ["Send as a batch", "Надіслати пакетом", "Отправить пакетом"],
  same: ["Choose two different languages", "Виберіть дві різні мови", "Выберите два разных языка"],
  rehearsal: [
    "No model has a key here: this rehearsal makes a card of every word, without translations.",
    "Жодна модель не має ключа: ця репетиція робить картку з кожного слова, без перекладів.",
    "Ни у одной модели нет ключа: эта репетиция делает карточку из каждого слова, без переводов.",
  ],
  estimate: [
    "About {cost} with {model}: {requests} requests for {sentences} sentences",
    "Приблизно {cost} з {model}: запитів — {requests}, речень — {sentences}",
    "Примерно {cost} с {model}: запросов — {requests}, предложений — {sentences}",
  ],
  unknownCost: ["an unknown cost", "невідома ціна", "неизвестная цена"],
  maxCost: ["Spend at most, in dollars", "Витратити не більше, доларів", "Потратить не больше, долларов"],
  start: ["Start", "Почати", "Начать"],
  back: ["Back", "Назад", "Назад"],
  history: ["Your texts", "Ваші тексти", "Ваши тексты"],
  remove: ["Remove", "Вилучити", "Удалить"],
  removeRun: ["Remove {name}", "Вилучити {name}", "Удалить {name}"],
  removeSure: ["Remove this text and its cards?", "Вилучити цей текст і його картки?", "Удалить этот текст и его карточки?"],
  noHistory: ["Nothing yet.", "Поки нічого.", "Пока ничего."],
  stateReady: ["ready", "готово", "готово"],
  stateHoles: ["{n} missing", "бракує: {n}", "не хватает: {n}"],
  stateStopped: ["not finished", "не завершено", "не закончено"],
  stateIdle: ["not begun", "не почато", "не начато"],
  stateBusy: ["at work", "триває", "в работе"],
  stateExpired: ["expired", "застаріло", "устарело"],
  sentencesOf: ["{n} sentences", "речень: {n}", "предложений: {n}"],
  progress: ["{done} of {all} sentences", "Речень: {done} з {all}", "Предложений: {done} из {all}"],
  holes: ["{n} missing", "бракує: {n}", "не хватает: {n}"],
  left: ["about {time} left", "ще приблизно {time}", "осталось примерно {time}"],
  seconds: ["{n} s", "{n} с", "{n} с"],
  minutes: ["{n} min", "{n} хв", "{n} мин"],
  batchSending: ["The batch is being sent", "Пакет надсилається", "Пакет отправляется"],
  batchWaiting: ["The batch was sent {when} and is at work", "Пакет надіслано {when}, він у роботі", "Пакет отправлен {when} и в работе"],
  batchReading: ["Results are being read", "Читаються результати", "Читаются результаты"],
  stop: ["Stop", "Зупинити", "Остановить"],
  unfinished: ["{n} sentences are left.", "Залишилося речень: {n}.", "Осталось предложений: {n}."],
  goOn: ["Go on", "Продовжити", "Продолжить"],
  retry: ["Try again", "Спробувати ще раз", "Попробовать снова"],
  retryAll: ["Try them again", "Спробувати їх ще раз", "Попробовать их снова"],
  sendAnew: ["Send anew", "Надіслати знову", "Отправить снова"],
  giveUp: ["Do without", "Обійтися без цього", "Обойтись без этого"],
  sentenceNumber: ["Sentence {n}", "Речення {n}", "Предложение {n}"],
  noCards: ["There are no cards here yet.", "Тут ще немає карток.", "Здесь ещё нет карточек."],
  allHidden: ["All cards are hidden or known.", "Усі картки приховані або відомі.", "Все карточки скрыты или известны."],
  onTheWay: ["The cards are on their way.", "Картки вже в дорозі.", "Карточки уже в пути."],
  toText: ["To the text", "До тексту", "К тексту"],
  toEdit: ["To the list", "До списку", "К списку"],
  place: ["{at} / {all}", "{at} / {all}", "{at} / {all}"],
  next: ["Next", "Далі", "Дальше"],
  previous: ["Previous", "Назад", "Назад"],
  flip: ["Flip", "Перегорнути", "Перевернуть"],
  hide: ["Hide", "Приховати", "Скрыть"],
  hidden: ["Hidden: {word}", "Приховано: {word}", "Скрыто: {word}"],
  know: ["I know it", "Знаю", "Знаю"],
  nowKnown: ["Known: {word}", "Відоме: {word}", "Известно: {word}"],
  unknow: ["I do not know it", "Не знаю", "Не знаю"],
  regenerate: ["Make anew", "Зробити заново", "Сделать заново"],
  regenerating: ["It is made anew: {word}", "Робиться заново: {word}", "Делается заново: {word}"],
  more: ["+{n} more", "ще +{n}", "ещё +{n}"],
  less: ["Less", "Менше", "Меньше"],
  front: ["Front", "Лицьовий бік", "Лицевая сторона"],
  backSide: ["Back", "Зворот", "Оборот"],
  phrase: ["phrase", "вислів", "выражение"],
  word: ["word", "слово", "слово"],
  keys: ["Keys", "Клавіші", "Клавиши"],
  legend: ["Legend", "Позначення", "Обозначения"],
  hole: ["missing", "бракує", "не хватает"],
  countWords: ["words", "слів", "слов"],
  countGraphemes: ["characters", "знаків", "знаков"],
  countSentences: ["sentences", "речень", "предложений"],
  countPhrases: ["phrases", "висловів", "выражений"],
  noTranslation: ["no translation yet", "ще без перекладу", "ещё без перевода"],
  search: ["Search cards", "Пошук карток", "Поиск карточек"],
  visible: ["Visible", "Видима", "Видна"],
  allVisible: ["All visible", "Усі видимі", "Все видны"],
  foundVisible: ["All found visible", "Усі знайдені видимі", "Все найденные видны"],
  undo: ["Undo", "Скасувати", "Отменить"],
  undone: ["Taken back", "Скасовано", "Отменено"],
  nothingToUndo: ["Nothing was changed", "Нічого не змінено", "Ничего не изменено"],
  restore: ["As it came", "Як було", "Как было"],
  edited: ["changed", "змінено", "изменено"],
  known: ["known", "відоме", "известно"],
  contexts: ["Sentences", "Речення", "Предложения"],
  page: ["Page {at} of {all}", "Сторінка {at} з {all}", "Страница {at} из {all}"],
  found: ["{n} cards", "карток: {n}", "карточек: {n}"],
  export: ["Take along", "Забрати", "Забрать"],
  anki: ["Anki package", "Пакет Anki", "Пакет Anki"],
  ankiText: ["Text for Anki", "Текст для Anki", "Текст для Anki"],
  table: ["Table (CSV)", "Таблиця (CSV)", "Таблица (CSV)"],
  import: ["Bring cards from a file", "Взяти картки з файлу", "Взять карточки из файла"],
  strategy: ["Where both have a card", "Якщо картка є з обох боків", "Если карточка есть с обеих сторон"],
  "merge-keep-local": ["keep mine", "залишити мою", "оставить мою"],
  "merge-prefer-imported": ["take the file's", "взяти з файлу", "взять из файла"],
  "replace-all": ["take only the file's", "взяти лише з файлу", "взять только из файла"],
  added: ["new", "нових", "новых"],
  changed: ["changed", "змінених", "изменённых"],
  removed: ["removed", "прибраних", "убранных"],
  kept: ["as they were", "без змін", "без изменений"],
  apply: ["Bring them in", "Взяти", "Взять"],
  applied: ["The cards are here", "Картки взято", "Карточки взяты"],
  cancel: ["Not now", "Не зараз", "Не сейчас"],
  lost: ["The connection is lost; it comes back by itself", "З’єднання втрачено; воно відновиться саме", "Связь потеряна; она вернётся сама"],
};
