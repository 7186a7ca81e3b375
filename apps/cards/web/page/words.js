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

/**
 * The words of a name. `{n}` is filled in; `{n:card|cards}` is the form that goes with the number
 * (one, other in English; one, few, many in Ukrainian and Russian).
 */
export function t(name, values = {}) {
  const text = WORDS[name]?.[Object.keys(LOCALES).indexOf(chosen)] ?? name;
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, key, forms) => {
    const value = values[key] ?? "";
    if (forms) return form(value, forms.split("|"));
    return typeof value === "number" ? number(value) : value;
  });
}

function form(value, forms) {
  const kind = new Intl.PluralRules(chosen).select(Number(value));
  const order = forms.length === 2 ? ["one", "other"] : ["one", "few", "many"];
  return forms[order.indexOf(kind)] ?? forms.at(-1);
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
  skip: ["Skip to content", "Перейти до вмісту", "Перейти к содержимому"],
  home: ["Ghostpad chat", "Чат Ghostpad", "Чат Ghostpad"],
  uiLanguage: ["Page language", "Мова сторінки", "Язык страницы"],
  theme: ["Switch between light and dark", "Змінити світлу тему на темну або навпаки", "Сменить светлую тему на тёмную или наоборот"],
  modes: ["Views", "Розділи", "Разделы"],
  text: ["Text", "Текст", "Текст"],
  flash: ["Flashcards", "Картки", "Карточки"],
  reading: ["Reading", "Читання", "Чтение"],
  translation: ["Translation", "Переклад", "Перевод"],
  edit: ["Edit", "Редагування", "Редактирование"],
  newText: ["Make flashcards from a text", "Зробіть картки з тексту", "Сделайте карточки из текста"],
  intro: [
    "Paste a text in the language you are learning, or open a file. Every word and phrase becomes a card with the sentence it comes from.",
    "Вставте текст мовою, яку вивчаєте, або відкрийте файл. З кожного слова й вислову вийде картка з реченням, у якому вони трапилися.",
    "Вставьте текст на языке, который изучаете, или откройте файл. Из каждого слова и выражения получится карточка с предложением, в котором они встретились.",
  ],
  from: ["Language of the text", "Мова тексту", "Язык текста"],
  to: ["Language of the translation", "Мова перекладу", "Язык перевода"],
  name: ["Title", "Назва", "Название"],
  nameHint: ["The first words of the text", "Перші слова тексту", "Первые слова текста"],
  openFile: ["Open a file", "Відкрити файл", "Открыть файл"],
  fileKinds: [
    "Text, subtitles (.srt, .vtt), web page or e-book (.epub)",
    "Текст, субтитри (.srt, .vtt), вебсторінка або книжка (.epub)",
    "Текст, субтитры (.srt, .vtt), веб-страница или книга (.epub)",
  ],
  orPage: ["or a web page:", "або вебсторінку:", "или веб-страницу:"],
  pageAddress: ["Address of a web page", "Адреса вебсторінки", "Адрес веб-страницы"],
  readPage: ["Read the page", "Прочитати сторінку", "Прочитать страницу"],
  wasRead: ["Opened: {name}", "Відкрито: {name}", "Открыто: {name}"],
  yourText: ["Your text", "Ваш текст", "Ваш текст"],
  characters: ["{n} of {max} characters", "{n} із {max} символів", "{n} из {max} символов"],
  tooLong: [
    "{n} {n:character|characters} too many",
    "{n} {n:зайвий символ|зайві символи|зайвих символів}",
    "{n} {n:лишний символ|лишних символа|лишних символов}",
  ],
  batch: [
    "As a batch: half the price, ready within a day",
    "Пакетом: удвічі дешевше, готово протягом доби",
    "Пакетом: вдвое дешевле, готово в течение суток",
  ],
  make: ["Make cards", "Зробити картки", "Сделать карточки"],
  sendBatch: ["Send as a batch", "Надіслати пакетом", "Отправить пакетом"],
  same: ["Choose two different languages", "Виберіть дві різні мови", "Выберите два разных языка"],
  rehearsal: [
    "No model is set up, so this is a rehearsal: every word becomes a card without a translation.",
    "Модель не налаштовано, тому це лише репетиція: кожне слово стане карткою без перекладу.",
    "Модель не настроена, поэтому это только репетиция: каждое слово станет карточкой без перевода.",
  ],
  estimate: [
    "About {cost} with {model}: {requests} {requests:request|requests} for {sentences} {sentences:sentence|sentences}",
    "Орієнтовно {cost} з моделлю {model}: {requests} {requests:запит|запити|запитів} на {sentences} {sentences:речення|речення|речень}",
    "Примерно {cost} с моделью {model}: {requests} {requests:запрос|запроса|запросов} на {sentences} {sentences:предложение|предложения|предложений}",
  ],
  estimateUnknown: [
    "The price of {model} is unknown: {requests} {requests:request|requests} for {sentences} {sentences:sentence|sentences}",
    "Скільки коштує модель {model}, невідомо: {requests} {requests:запит|запити|запитів} на {sentences} {sentences:речення|речення|речень}",
    "Сколько стоит модель {model}, неизвестно: {requests} {requests:запрос|запроса|запросов} на {sentences} {sentences:предложение|предложения|предложений}",
  ],
  reused: [
    "{n} {n:sentence is|sentences are} already known from your texts and cost nothing",
    "{n} {n:речення вже є|речення вже є|речень уже є} у ваших текстах, платити за них не доведеться",
    "{n} {n:предложение уже есть|предложения уже есть|предложений уже есть} в ваших текстах, платить за них не придётся",
  ],
  maxCost: ["Spend at most, in US dollars", "Витратити не більше, доларів США", "Потратить не больше, долларов США"],
  maxCostHint: ["For the whole text, with all retries", "На весь текст, разом із повторами", "На весь текст, вместе с повторами"],
  start: ["Start", "Почати", "Начать"],
  back: ["Back", "Назад", "Назад"],
  history: ["Your texts", "Ваші тексти", "Ваши тексты"],
  remove: ["Delete", "Видалити", "Удалить"],
  removeRun: ["Delete {name}", "Видалити {name}", "Удалить {name}"],
  removeSure: ["Delete this text and its cards?", "Видалити цей текст і його картки?", "Удалить этот текст и его карточки?"],
  noHistory: ["Nothing here yet.", "Тут поки порожньо.", "Здесь пока пусто."],
  stateReady: ["ready", "готово", "готово"],
  stateHoles: ["partly ready, {n} missing", "частково готово, бракує {n}", "частично готово, не хватает {n}"],
  stateStopped: ["not finished", "не завершено", "не завершено"],
  stateIdle: ["not started", "не розпочато", "не начато"],
  stateBusy: ["in progress", "виконується", "выполняется"],
  stateExpired: ["expired", "термін минув", "срок истёк"],
  sentencesOf: [
    "{n} {n:sentence|sentences}",
    "{n} {n:речення|речення|речень}",
    "{n} {n:предложение|предложения|предложений}",
  ],
  progress: [
    "{done} of {all} {all:sentence|sentences}",
    "{done} з {all} {all:речення|речень|речень}",
    "{done} из {all} {all:предложения|предложений|предложений}",
  ],
  holes: ["{n} missing", "бракує {n}", "не хватает {n}"],
  spentOf: ["{spent} of {max}", "{spent} з {max}", "{spent} из {max}"],
  left: ["about {time} left", "лишилося приблизно {time}", "осталось примерно {time}"],
  seconds: ["{n} s", "{n} с", "{n} с"],
  minutes: ["{n} min", "{n} хв", "{n} мин"],
  batchSending: ["Sending the batch", "Надсилаємо пакет", "Отправляем пакет"],
  batchWaiting: [
    "The batch was sent at {when}; waiting for the results",
    "Пакет надіслано о {when}, чекаємо на результати",
    "Пакет отправлен в {when}, ждём результатов",
  ],
  batchReading: ["Reading the results", "Читаємо результати", "Читаем результаты"],
  stop: ["Stop", "Зупинити", "Остановить"],
  unfinished: [
    "{n} {n:sentence is|sentences are} left.",
    "Залишилося {n} {n:речення|речення|речень}.",
    "Осталось {n} {n:предложение|предложения|предложений}.",
  ],
  strays: [
    "{n} {n:card was|cards were} for other sentences and left out",
    "{n} {n:картка була|картки були|карток були} про інші речення, їх пропущено",
    "{n} {n:карточка была|карточки были|карточек были} о других предложениях, они пропущены",
  ],
  goOn: ["Continue", "Продовжити", "Продолжить"],
  retry: ["Try again", "Спробувати ще раз", "Попробовать ещё раз"],
  retryAll: ["Try these again", "Спробувати їх ще раз", "Попробовать их ещё раз"],
  sendAnew: ["Send again", "Надіслати ще раз", "Отправить ещё раз"],
  giveUp: ["Skip", "Пропустити", "Пропустить"],
  sentenceNumber: ["Sentence {n}", "Речення {n}", "Предложение {n}"],
  noCards: ["There are no cards here yet.", "Карток тут ще немає.", "Карточек здесь пока нет."],
  allHidden: [
    "All cards are hidden or marked as known.",
    "Усі картки приховано або позначено як відомі.",
    "Все карточки скрыты или отмечены как известные.",
  ],
  onTheWay: ["The cards are being made…", "Готуємо картки…", "Готовим карточки…"],
  toText: ["Go to the text", "Перейти до тексту", "Перейти к тексту"],
  toEdit: ["Go to the list", "Перейти до списку", "Перейти к списку"],
  place: ["{at} / {all}", "{at} / {all}", "{at} / {all}"],
  next: ["Next", "Наступна", "Следующая"],
  previous: ["Previous", "Попередня", "Предыдущая"],
  flip: ["Flip", "Перевернути", "Перевернуть"],
  hide: ["Hide", "Приховати", "Скрыть"],
  hidden: ["Hidden: {word}", "Приховано: {word}", "Скрыто: {word}"],
  know: ["I know this", "Знаю", "Знаю"],
  nowKnown: ["Marked as known: {word}", "Позначено як відоме: {word}", "Отмечено как известное: {word}"],
  unknow: ["I do not know this", "Не знаю", "Не знаю"],
  regenerate: ["Make again", "Зробити заново", "Сделать заново"],
  regenerating: ["Making it again: {word}", "Робимо заново: {word}", "Делаем заново: {word}"],
  more: ["{n} more", "ще {n}", "ещё {n}"],
  less: ["Show less", "Згорнути", "Свернуть"],
  front: ["Front", "Лицьовий бік", "Лицевая сторона"],
  backSide: ["Back", "Зворотний бік", "Обратная сторона"],
  phrase: ["phrase", "вислів", "выражение"],
  word: ["word", "слово", "слово"],
  keys: ["Keyboard shortcuts", "Гарячі клавіші", "Горячие клавиши"],
  legend: ["Legend", "Умовні позначення", "Условные обозначения"],
  hole: ["not translated", "без перекладу", "без перевода"],
  countWords: ["{n:word|words}", "{n:слово|слова|слів}", "{n:слово|слова|слов}"],
  countGraphemes: ["{n:character|characters}", "{n:символ|символи|символів}", "{n:символ|символа|символов}"],
  countSentences: ["{n:sentence|sentences}", "{n:речення|речення|речень}", "{n:предложение|предложения|предложений}"],
  countPhrases: ["{n:phrase|phrases}", "{n:вислів|вислови|висловів}", "{n:выражение|выражения|выражений}"],
  noTranslation: ["not translated yet", "ще не перекладено", "ещё не переведено"],
  search: ["Search cards", "Пошук серед карток", "Поиск среди карточек"],
  visible: ["Visible", "Показувати", "Показывать"],
  allVisible: ["Show all", "Показувати всі", "Показывать все"],
  foundVisible: ["Show all found", "Показувати всі знайдені", "Показывать все найденные"],
  undo: ["Undo", "Скасувати останню зміну", "Отменить последнее изменение"],
  undone: ["Undone", "Зміну скасовано", "Изменение отменено"],
  nothingToUndo: ["There is nothing to undo", "Немає що скасовувати", "Отменять нечего"],
  restore: ["Restore the original", "Повернути, як було", "Вернуть как было"],
  edited: ["edited", "змінено", "изменено"],
  known: ["known", "відоме", "известно"],
  contexts: ["Sentences: {n}", "Речення: {n}", "Предложения: {n}"],
  page: ["Page {at} of {all}", "Сторінка {at} з {all}", "Страница {at} из {all}"],
  found: ["{n} {n:card|cards}", "{n} {n:картка|картки|карток}", "{n} {n:карточка|карточки|карточек}"],
  export: ["Export", "Експорт", "Экспорт"],
  anki: ["Anki package", "Пакет Anki", "Пакет Anki"],
  ankiAll: ["Anki package, both directions and gaps", "Пакет Anki, обидва напрямки й пропуски", "Пакет Anki, оба направления и пропуски"],
  push: ["Send to Anki", "Надіслати в Anki", "Отправить в Anki"],
  pushing: ["Sending to Anki…", "Надсилаємо в Anki…", "Отправляем в Anki…"],
  pushedWords: [
    "In Anki: {added} added, {updated} updated, {unchanged} unchanged.",
    "В Anki: додано {added}, оновлено {updated}, без змін {unchanged}.",
    "В Anki: добавлено {added}, обновлено {updated}, без изменений {unchanged}.",
  ],
  keptFields: [
    "{n} {n:field|fields} that you changed in Anki stay as they are.",
    "{n} {n:поле, змінене|поля, змінені|полів, змінених} вами в Anki, не чіпали.",
    "{n} {n:поле, изменённое|поля, изменённые|полей, изменённых} вами в Anki, не тронули.",
  ],
  notPushed: [
    "Anki did not take the cards. Open Anki with the add-on AnkiConnect on the computer that runs this server.",
    "Anki не прийняла карток. Відкрийте Anki з додатком AnkiConnect на комп’ютері, де працює цей сервер.",
    "Anki не приняла карточки. Откройте Anki с дополнением AnkiConnect на компьютере, где работает этот сервер.",
  ],
  ankiText: ["Text for Anki", "Текст для Anki", "Текст для Anki"],
  table: ["Table (CSV)", "Таблиця (CSV)", "Таблица (CSV)"],
  import: ["Import cards from a file", "Імпорт карток із файлу", "Импорт карточек из файла"],
  strategy: ["If a card exists already", "Якщо така картка вже є", "Если такая карточка уже есть"],
  "merge-keep-local": ["keep mine", "залишити мою", "оставить мою"],
  "merge-prefer-imported": ["take the one from the file", "узяти з файлу", "взять из файла"],
  "replace-all": ["replace all my cards with the file", "замінити всі мої картки файлом", "заменить все мои карточки файлом"],
  added: ["{n} new", "нових: {n}", "новых: {n}"],
  changed: ["{n} changed", "змінених: {n}", "изменённых: {n}"],
  removed: ["{n} removed", "видалених: {n}", "удалённых: {n}"],
  kept: ["{n} unchanged", "без змін: {n}", "без изменений: {n}"],
  apply: ["Import", "Імпортувати", "Импортировать"],
  applied: ["Cards imported", "Картки імпортовано", "Карточки импортированы"],
  cancel: ["Cancel", "Скасувати", "Отмена"],
  review: ["Review", "Повторення", "Повторение"],
  loading: ["Loading…", "Завантаження…", "Загрузка…"],
  today: ["Today: {n}", "Сьогодні: {n}", "Сегодня: {n}"],
  leftNow: ["{n} left", "залишилося {n}", "осталось {n}"],
  showAnswer: ["Show the answer", "Показати відповідь", "Показать ответ"],
  howWell: ["How well did you know it?", "Як добре ви це знали?", "Насколько хорошо вы это знали?"],
  again: ["Again", "Не знаю", "Не знаю"],
  hard: ["Hard", "Важко", "Трудно"],
  good: ["Good", "Добре", "Хорошо"],
  easy: ["Easy", "Легко", "Легко"],
  undoAnswer: ["Undo", "Скасувати відповідь", "Отменить ответ"],
  listen: ["Listen", "Прослухати", "Прослушать"],
  hours: ["{n} h", "{n} год", "{n} ч"],
  days: ["{n} d", "{n} дн.", "{n} дн."],
  months: ["{n} mo", "{n} міс.", "{n} мес."],
  stage_new: ["new", "нова", "новая"],
  stage_learning: ["learning", "вивчається", "изучается"],
  stage_known: ["review", "повторення", "повторение"],
  stage_relearning: ["learning again", "вивчається знову", "изучается снова"],
  recall_meaning: ["word → meaning", "слово → значення", "слово → значение"],
  recall_word: ["meaning → word", "значення → слово", "значение → слово"],
  recall_gap: ["word in a gap", "слово в пропуску", "слово в пропуске"],
  gapLabel: ["gap", "пропуск", "пропуск"],
  keptHere: [
    "The server cannot be reached. {n} {n:answer is|answers are} kept in this browser and sent later.",
    "Сервер недоступний. {n} {n:відповідь збережено|відповіді збережено|відповідей збережено} в цьому браузері, надішлемо згодом.",
    "Сервер недоступен. {n} {n:ответ сохранён|ответа сохранены|ответов сохранены} в этом браузере, отправим позже.",
  ],
  awaySince: [
    "No connection. These are the cards of {when}; your answers will be sent later.",
    "Немає з’єднання. Це картки за {when}; ваші відповіді надішлемо згодом.",
    "Нет соединения. Это карточки за {when}; ваши ответы отправим позже.",
  ],
  connectAgain: ["Try again", "Спробувати ще раз", "Попробовать ещё раз"],
  sendNow: ["Send now", "Надіслати зараз", "Отправить сейчас"],
  allDone: ["Done for now", "Поки що все", "Пока всё"],
  nothingDue: ["Nothing to review now", "Зараз нема чого повторювати", "Сейчас нечего повторять"],
  nextAt: ["next card: {when}", "наступна картка: {when}", "следующая карточка: {when}"],
  newLater: [
    "{n} new {n:card|cards} on another day",
    "{n} {n:нова картка|нові картки|нових карток} іншого дня",
    "{n} {n:новая карточка|новые карточки|новых карточек} в другой день",
  ],
  toTexts: ["To your texts", "До ваших текстів", "К вашим текстам"],
  reviewSettings: ["Settings", "Налаштування", "Настройки"],
  askFor: ["Ask for", "Запитувати", "Спрашивать"],
  newPerDay: ["New cards per day", "Нових карток на день", "Новых карточек в день"],
  newOrder: ["New cards come", "Порядок нових карток", "Порядок новых карточек"],
  order_text: ["as in the text", "як у тексті", "как в тексте"],
  order_frequency: ["the most frequent first", "спочатку найчастіші", "сначала самые частые"],
  reviewNow: ["Review now", "Повторити зараз", "Повторить сейчас"],
  dueNow: [
    "{n} {n:card|cards} to review",
    "{n} {n:картка|картки|карток} для повторення",
    "{n} {n:карточка|карточки|карточек} для повторения",
  ],
  wordNew: ["new word", "нове слово", "новое слово"],
  wordLearning: ["being learned", "вивчається", "изучается"],
  wordKnown: ["known", "відоме", "известное"],
  sentencesWith: [
    "in {n} {n:sentence|sentences}",
    "у {n} {n:реченні|реченнях|реченнях}",
    "в {n} {n:предложении|предложениях|предложениях}",
  ],
  sort: ["Order", "Порядок", "Порядок"],
  sort_text: ["as in the text", "як у тексті", "как в тексте"],
  sort_frequency: ["the most frequent first", "спочатку найчастіші", "сначала самые частые"],
  sort_doubts: ["doubtful first", "спочатку сумнівні", "сначала сомнительные"],
  doubt_repeated: ["check: many words have this meaning", "перевірте: це значення має багато слів", "проверьте: это значение у многих слов"],
  doubt_same_as_word: ["check: the meaning is the word itself", "перевірте: значення збігається зі словом", "проверьте: значение совпадает со словом"],
  doubt_wrong_script: ["check: the meaning is in another script", "перевірте: значення іншою писемністю", "проверьте: значение в другой письменности"],
  knownSentences: [
    "{n} {n:sentence has|sentences have} only words you know and will not be sent",
    "{n} {n:речення має|речення мають|речень мають} лише відомі вам слова, їх не надсилатимемо",
    "{n} {n:предложение состоит|предложения состоят|предложений состоят} только из известных вам слов, их не отправим",
  ],
};
