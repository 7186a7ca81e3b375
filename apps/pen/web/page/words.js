// What the page says, in Ukrainian and English. Words about drafts and findings come from the server.

export const LANGS = { uk: "Українська", en: "English" };

let chosen = remembered() ?? preferred();

export const lang = () => chosen;

export function choose(name) {
  chosen = name;
  try {
    localStorage.setItem("pen-lang", name);
  } catch {
    /* storage may be switched off */
  }
}

/** The words of a name. `{n}` is filled in; `{n:one|few|many}` is the form that goes with the number. */
export function t(name, values = {}) {
  const text = WORDS[name]?.[chosen === "uk" ? 0 : 1] ?? name;
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, key, forms) => {
    const value = values[key] ?? "";
    return forms ? form(value, forms.split("|")) : String(value);
  });
}

function form(value, forms) {
  const kind = new Intl.PluralRules(chosen).select(Number(value));
  const order = forms.length === 2 ? ["one", "other"] : ["one", "few", "many"];
  return forms[order.indexOf(kind)] ?? forms.at(-1);
}

const PLATFORMS = { linkedin: "LinkedIn", instagram: "Instagram", x: "X", bluesky: "Bluesky", threads: "Threads", mastodon: "Mastodon", telegram: "Telegram", facebook: "Facebook" };

/** A moment, short: the time of today, or the day. */
export function when(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString(chosen, { hour: "2-digit", minute: "2-digit" }) : onDay(date);
}

/** A day, short: `2026-02-08` or a date. */
export function onDay(day) {
  const date = typeof day === "string" ? new Date(`${day}T12:00`) : day;
  return date.toLocaleDateString(chosen, { day: "numeric", month: "short" });
}

/** `uk+en` in words. */
export function languageNames(codes) {
  const names = new Intl.DisplayNames([chosen], { type: "language" });
  return String(codes ?? "").split("+").filter(Boolean).map((code) => names.of(code) ?? code).join(", ");
}

export const platformName = (name) => PLATFORMS[name] ?? name ?? "";
export const ruleName = (rule) => (WORDS[`rule-${rule}`] ? t(`rule-${rule}`) : rule);

function remembered() {
  try {
    const name = localStorage.getItem("pen-lang");
    return name && Object.hasOwn(LANGS, name) ? name : null;
  } catch {
    return null;
  }
}

function preferred() {
  const bases = navigator.languages.map((one) => one.split("-")[0].toLowerCase());
  return bases.find((base) => Object.hasOwn(LANGS, base)) ?? "uk";
}

const WORDS = {
  skip: ["До змісту", "Skip to content"],
  home: ["Ghostpad, головна", "Ghostpad, home"],
  modes: ["Розділи", "Sections"],
  language: ["Мова сторінки", "Language of the page"],
  theme: ["Світла або темна тема", "Light or dark"],
  ideas: ["Писати", "Write"],
  voice: ["Голос", "Voice"],
  calendar: ["Календар", "Calendar"],
  unreachable: ["Сервер не відповідає", "The server does not answer"],
  again: ["Спробувати ще раз", "Try again"],
  operatorOnly: [
    "Профілі й пости Ghostpen лежать у папці того, хто запустив сервер. Бачить їх лише він: власник першого токена.",
    "Ghostpen's profiles and posts are in the folder of whoever runs this server. Only that person, the owner of the first token, can use them.",
  ],
  newIdea: ["Про що пишемо?", "What shall we write?"],
  ideaIntro: ["Одна ідея — чернетка для кожної обраної платформи, вашим голосом.", "One idea becomes a draft for each platform you choose, in your voice."],
  idea: ["Ідея", "Idea"],
  ideaHint: ["напиши пост про вигорання: чому відпустка не рятує", "a post about burnout: why a holiday does not help"],
  platforms: ["Платформи", "Platforms"],
  more: ["Більше: профіль, прийоми, початки, Notion, факти", "More: profile, techniques, openings, Notion, facts"],
  profile: ["Профіль", "Profile"],
  techniques: ["Прийоми з іншого профілю", "Techniques of another profile"],
  noTechniques: ["без чужих прийомів", "none"],
  removeDraft: ["Видалити чернетку «{topic}»", "Delete the draft “{topic}”"],
  removeThis: ["Видалити чернетку", "Delete the draft"],
  draftRemoved: ["Чернетку «{topic}» видалено. Збережені пости лишились.", "The draft “{topic}” is deleted. Saved posts stay."],
  bringDraftBack: ["Повернути", "Bring it back"],
  openings: ["Початків на вибір", "Openings to choose from"],
  noOpenings: ["без вибору", "none"],
  fromNotion: ["Сторінка Notion як матеріал", "A Notion page as material"],
  noNotion: ["Notion не налаштовано: додайте NOTION_TOKEN до .env.", "Notion is not set up: add NOTION_TOKEN to .env."],
  facts: ["шукати факти в мережі", "search the web for facts"],
  noSearch: ["Пошук фактів не налаштовано: додайте TAVILY_API_KEY до .env.", "The search for facts is not set up: add TAVILY_API_KEY to .env."],
  write: ["{n:Написати чернетку|Написати чернетки|Написати чернетки}", "{n:Write the draft|Write the drafts}"],
  beginEmpty: ["Скласти запит", "Make a prompt"],
  ownFolder: ["Папка: {folder}", "Folder: {folder}"],
  noKey: ["Ключа моделі немає — і це не заважає почати", "There is no model key, and you can begin without one"],
  noKeyFix: [
    "Сторінка міряє, перевіряє і складає запит, який можна вставити в будь-який чат. Щоб чернетки писались тут, задайте ANTHROPIC_API_KEY, OPENAI_API_KEY або GEMINI_API_KEY і перезапустіть сервер.",
    "The page measures, checks and makes a prompt to paste into any chat. To have drafts written here, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and restart the server.",
  ],
  drafts: ["Чернетки", "Drafts"],
  noDrafts: ["Чернеток ще немає.", "There are no drafts yet."],
  untitled: ["без теми", "no topic"],
  emptyDraft: ["тексту ще немає", "no text yet"],
  beingWritten: ["пишеться…", "being written…"],
  saved: ["збережено", "saved"],
  open: ["у роботі", "open"],
  plannedFor: ["на {day}", "for {day}"],
  broken: ["пошкоджений", "broken"],
  reference: ["чужий, для прийомів", "reference"],
  firstProfile: ["Спершу — ваш голос", "First, your voice"],
  firstProfileIntro: ["Вставте три або більше своїх постів. Ghostpen виміряє їх без моделі; пости нікуди не надсилаються.", "Paste three or more of your posts. Ghostpen measures them without a model; they are not sent anywhere."],
  yourPosts: ["Ваші пости, між ними рядок ---", "Your posts, with a line --- between them"],
  makeProfile: ["Створити профіль", "Make the profile"],
  profileMade: ["Профіль створено", "The profile is made"],
  text: ["Текст чернетки", "Text of the draft"],
  textHint: ["Тут буде чернетка. Можна писати й самому.", "The draft will be here. You can also write it yourself."],
  pasteHint: ["Вставте сюди відповідь або пишіть самі.", "Paste the answer here, or write it yourself."],
  version: ["версія {n} з {all}", "version {n} of {all}"],
  unsent: ["змінено", "edited"],
  undo: ["Скасувати", "Undo"],
  redo: ["Повернути", "Redo"],
  copy: ["Копіювати", "Copy"],
  copied: ["Скопійовано", "Copied"],
  notCopied: ["Браузер не дає копіювати: виділіть текст самі", "The browser does not allow copying: select the text yourself"],
  changed: ["Що змінилось", "What changed"],
  removedLine: ["прибрано", "removed"],
  addedLine: ["додано", "added"],
  feedback: ["Зауваження", "Remarks"],
  feedbackHint: ["Скажіть своїми словами: заміни «ти» на «ви», коротший початок, додай приклад…", "Say it in your words: replace “a” with “b”, a shorter opening, add an example…"],
  yourWords: ["Ваше зауваження", "Your remark"],
  send: ["Сказати", "Say it"],
  save: ["Зберегти", "Save"],
  saveNotion: ["Зберегти і в Notion", "Save to Notion too"],
  day: ["День публікації", "Day of publishing"],
  nothingPublished: ["Ghostpen нічого не публікує сам.", "Ghostpen publishes nothing by itself."],
  writing: ["Модель пише…", "The model is writing…"],
  working: ["Хвилинку…", "One moment…"],
  step: ["Виконується: {tool}", "At work: {tool}"],
  stop: ["Зупинити", "Stop"],
  writeNow: ["Написати", "Write it"],
  fault: ["Не вийшло", "It did not work"],
  prompt: ["Запит для будь-якого чату", "A prompt for any chat"],
  promptHint: ["Скопіюйте його в чат, а відповідь вставте в поле нижче. Модель на цій сторінці отримала б такий самий запит.", "Copy it into a chat, and paste the answer into the text below. It is the very prompt that a model would get here."],
  promptShow: ["Запит для чату", "Prompt for a chat"],
  check: ["Перевірка", "Check"],
  findings: ["{n} {n:зауваження|зауваження|зауважень}", "{n} {n:finding|findings}"],
  clean: ["Порушень не знайдено", "No violations found"],
  nothingToCheck: ["Перевірка з’явиться, щойно буде текст.", "Findings appear as soon as there is a text."],
  unchecked: ["Не перевірено без моделі", "Cannot be checked offline"],
  error: ["помилка", "error"],
  warn: ["увага", "warning"],
  preview: ["Як це виглядатиме", "How it will look"],
  posts: ["{n} {n:пост|пости|постів}", "{n} {n:post|posts}"],
  folded: ["далі сховано під «більше»", "below “more” from here"],
  otherBrowserText: ["У цьому браузері лишилась ваша правка іншої версії тексту.", "This browser still has your edit of another version of the text."],
  bringBack: ["Повернути її", "Bring it back"],
  forget: ["Не треба", "Forget it"],
  "ask-hook": ["Який початок?", "Which opening?"],
  "ask-proposal": ["Змінити профіль?", "Change the profile?"],
  "ask-value": ["Записати це в профіль?", "Write this to the profile?"],
  "ask-notion": ["Зберегти ще й у Notion?", "Save it to Notion too?"],
  yes: ["Так", "Yes"],
  no: ["Ні", "No"],
  ownValue: ["Своє значення", "Your own value"],
  noHook: ["Без готового початку", "None of them"],
  answerFirst: ["Спершу дайте відповідь на питання", "Answer the question first"],
  profileTitle: ["Профіль", "Profile"],
  postsTitle: ["Збережені пости", "Saved posts"],
  search: ["Пошук у постах, за будь-якою формою слова", "Search the posts by any form of a word"],
  noPosts: ["Нічого не знайдено.", "Nothing was found."],
  total: ["усього {n}", "{n} in all"],
  profileVersion: ["версія {n}, {lang}", "version {n}, {lang}"],
  tone: ["Тон", "Tone"],
  formality: ["Формальність", "Formality"],
  personality: ["Особистість", "Personality"],
  sentence_style: ["Речення", "Sentences"],
  paragraph_style: ["Абзаци", "Paragraphs"],
  emoji_usage: ["Емодзі", "Emoji"],
  hooks: ["Початки", "Openings"],
  closings: ["Кінцівки", "Closings"],
  signature_phrases: ["Улюблені фрази", "Signature phrases"],
  avoid: ["Уникає", "Avoids"],
  examples: ["Приклади", "Examples"],
  history: ["Зміни профілю", "Changes of the profile"],
  measured: ["Виміряно", "Measured"],
  inProfile: ["у профілі", "in the profile"],
  inPosts: ["у збережених постах", "in the saved posts"],
  sentenceWords: ["слів у реченні", "words a sentence"],
  longestSentence: ["найдовше речення", "longest sentence"],
  questions: ["питань", "questions"],
  fragments: ["фрагментів", "fragments"],
  emoji: ["емодзі на пост", "emoji a post"],
  hashtags: ["хештегів на пост", "hashtags a post"],
  differences: ["Де пости відходять від профілю", "Where the posts differ from the profile"],
  onlyByYes: ["Профіль змінюється лише після вашого «так» на показану зміну.", "The profile changes only after your yes to a change that you were shown."],
  previous: ["Попередній місяць", "Previous month"],
  next: ["Наступний місяць", "Next month"],
  today: ["сьогодні", "today"],
  agenda: ["Цього місяця", "This month"],
  unplanned: ["Без дати", "Without a day"],
  changedOn: ["змінено {day}", "changed {day}"],
  savedOn: ["збережено {day}", "saved {day}"],
  nothingHere: ["Порожньо.", "Nothing here."],
  planFor: ["День для «{topic}»", "Day for “{topic}”"],
  "rule-length": ["довжина", "length"],
  "rule-avoid-word": ["не вживати:", "do not use:"],
  "rule-avoid-number": ["кількість", "amount"],
  "rule-avoid-structure": ["побудова", "structure"],
  "rule-emoji": ["емодзі", "emoji"],
  "rule-hashtags": ["хештеги", "hashtags"],
  "rule-signature": ["улюблені фрази", "signature phrases"],
  "rule-hook": ["початок", "opening"],
  "rule-closing": ["кінцівка", "closing"],
  "rule-rhythm": ["ритм", "rhythm"],
  "rule-copying": ["повтор", "copy"],
  "rule-tell": ["штамп моделі", "typical of a model"],
  "rule-russism": ["русизм", "Russianism"],
  "rule-facts": ["факти", "facts"],
  "rule-hygiene": ["зайве в тексті", "leftovers"],
};
