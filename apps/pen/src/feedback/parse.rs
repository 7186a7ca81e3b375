//! Parses a line of feedback without a model: save, leave, start again, edit, style.
//!
//! A part of the text and a verb make a concrete edit; a judgement is a remark on style;
//! anything else goes to the model as it is.

use super::category::Category;
use super::edit::Edit;
use crate::text::fold;

/// A line of feedback, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feedback {
    Save,
    /// Save here and in Notion.
    SaveToNotion,
    /// The person edits the text by hand.
    ByHand,
    Leave,
    /// Start over.
    Again,
    Edit(Edit),
    Style(Category),
    /// Something that only a model understands.
    Other,
}

const SAVE: [&str; 24] = [
    "ok",
    "ок",
    "окей",
    "okay",
    "k",
    "зберігай",
    "збережи",
    "зберегти",
    "зберіг",
    "готово",
    "так",
    "добре",
    "супер",
    "yes",
    "y",
    "save",
    "save it",
    "done",
    "good",
    "great",
    "looks good",
    "lgtm",
    "👍",
    "✅",
];
const LEAVE: [&str; 8] = ["exit", "quit", "q", ":q", "вихід", "вийти", "вийди", "скасуй"];
const BY_HAND: [&str; 6] = ["edit", "/edit", "редагувати", "редагуй", "сам", "руками"];
const AGAIN: [&str; 10] = [
    "не те",
    "давай спочатку",
    "спочатку",
    "заново",
    "зовсім не те",
    "start over",
    "start again",
    "not it",
    "try again",
    "from scratch",
];
const YES: [&str; 12] =
    ["так", "т", "yes", "y", "ok", "ок", "да", "ага", "давай", "оновлюй", "sure", "👍"];
const NO: [&str; 9] = ["ні", "н", "no", "n", "не треба", "не", "nope", "👎", ""];

/// Parses one line.
pub fn parse_feedback(line: &str) -> Feedback {
    let plain = plain(line);
    if is_one_of(&plain, &SAVE) {
        return Feedback::Save;
    }
    let to_notion = ["notion", "ноушн", "ноушен", "нотіон"].iter().any(|name| plain.contains(name));
    if to_notion && ["збер", "save", "в ", "до ", "to "].iter().any(|word| plain.contains(word))
    {
        return Feedback::SaveToNotion;
    }
    if is_one_of(&plain, &BY_HAND) {
        return Feedback::ByHand;
    }
    if is_one_of(&plain, &LEAVE) {
        return Feedback::Leave;
    }
    if is_one_of(&plain, &AGAIN) {
        return Feedback::Again;
    }
    if let Some(edit) = Edit::parse(line) {
        return Feedback::Edit(edit);
    }
    style(&plain).map_or(Feedback::Other, Feedback::Style)
}

/// Is this a plain yes?
pub fn is_yes(line: &str) -> bool {
    is_one_of(&plain(line), &YES) || plain(line).starts_with("так, ")
}

/// Is this a plain no? An empty line is one, so that nobody agrees by accident.
pub fn is_no(line: &str) -> bool {
    is_one_of(&plain(line), &NO)
}

fn is_one_of(plain: &str, words: &[&str]) -> bool {
    words.contains(&plain)
}

/// Lower case, without marks at the ends; skin tones of a thumb do not matter.
fn plain(line: &str) -> String {
    let folded = fold(line);
    let bare: String = folded.chars().filter(|c| !is_skin_tone(*c)).collect();
    bare.trim_matches(|c: char| c.is_whitespace() || ".,!…;)(".contains(c)).to_owned()
}

fn is_skin_tone(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c) || c == '\u{fe0f}'
}

/// The words of one judgement: any of the first list, and any of the second if it has some.
type Rule = (Category, &'static [&'static str], &'static [&'static str]);

const HOOK: &[&str] = &[
    "hook",
    "хук",
    "гук",
    "зачин",
    "початок",
    "перше речення",
    "перший рядок",
    "opening",
    "intro",
    "вступ",
];
const CTA: &[&str] = &["cta", "заклик", "call to action", "питання в кінці", "питання наприкінці"];

/// The more precise judgements come first.
const RULES: [Rule; 22] = [
    (
        Category::HookWeak,
        HOOK,
        &["слабк", "нудн", "не чіпля", "не працює", "млявий", "weak", "boring", "flat", "dull"],
    ),
    (
        Category::HookStrong,
        HOOK,
        &[
            "сильн",
            "клікбейт",
            "агресив",
            "крикл",
            "перебор",
            "clickbait",
            "strong",
            "too much",
            "loud",
        ],
    ),
    (
        Category::CtaTooPushy,
        CTA,
        &["нав'язлив", "агресив", "тисне", "сильн", "pushy", "aggressive", "too hard"],
    ),
    (
        Category::CtaMissing,
        CTA,
        &["нема", "немає", "бракує", "без", "відсутн", "missing", "no ", "lacks", "where", "де "],
    ),
    (Category::CtaMissing, &["no cta", "no call to action", "without a call to action"], &[]),
    (
        Category::CtaTooPushy,
        &["нав'язлив", "впарю", "рекламно", "pushy", "salesy", "too much selling"],
        &[],
    ),
    (
        Category::TooCasual,
        &[
            "більш формальн",
            "формальніш",
            "недостатньо формальн",
            "офіційніш",
            "серйозніш",
            "more formal",
            "not formal enough",
            "less casual",
            "more serious",
        ],
        &[],
    ),
    (
        Category::TooCasual,
        &[
            "неформальн",
            "розмовн",
            "фамільярн",
            "панібрат",
            "несерйозн",
            "casual",
            "informal",
            "sloppy",
            "too chatty",
        ],
        &[],
    ),
    (
        Category::TooFormal,
        &[
            "формальн",
            "офіційн",
            "канцеляр",
            "сухо",
            "сухий",
            "як статт",
            "як звіт",
            "formal",
            "stiff",
            "corporate",
            "official",
            "bureaucratic",
        ],
        &[],
    ),
    (
        Category::TooShort,
        &[
            "закоротк",
            "занадто коротк",
            "дуже коротк",
            "надто коротк",
            "коротко вийшло",
            "довше",
            "розгорн",
            "too short",
            "longer",
            "expand",
        ],
        &[],
    ),
    (
        Category::TooLong,
        &[
            "задовг",
            "довго",
            "довгий",
            "довгувато",
            "коротше",
            "скорот",
            "стисл",
            "too long",
            "shorter",
            "lengthy",
            "shorten",
            "trim",
        ],
        &[],
    ),
    (
        Category::VocabularyWrong,
        &[
            "не кажу",
            "не вживаю",
            "не використовую",
            "лексик",
            "слова не мої",
            "не мої слова",
            "не моє слово",
            "wording",
            "vocabulary",
            "word choice",
            "words i never",
            "don't say",
            "don't use",
        ],
        &[],
    ),
    (
        Category::ToneOff,
        &[
            "не мій тон",
            "тон не",
            "не той тон",
            "не мій голос",
            "не мій стиль",
            "не схоже на мене",
            "я так не пишу",
            "не я ",
            "tone",
            "not my voice",
            "not my style",
            "like me",
            "doesn't sound",
            "not how i write",
        ],
        &[],
    ),
    (
        Category::StructureWrong,
        &["структур", "порядок", "логік", "переставити", "structure", "order is", "flow"],
        &[],
    ),
    (Category::ToneOff, &["тон"], &["холодн", "різк", "агресив", "м'як", "дивн"]),
    (
        Category::HookWeak,
        &["слабко починається", "нудно починається", "starts weak", "slow start"],
        &[],
    ),
    (
        Category::TooLong,
        &["багато тексту", "забагато", "багато слів", "too much text", "too wordy", "wordy"],
        &[],
    ),
    (Category::TooShort, &["мало тексту", "замало", "not enough detail", "too brief"], &[]),
    (
        Category::TooFormal,
        &["простіше", "по-людськи", "живіше", "simpler", "more human", "relax"],
        &[],
    ),
    (
        Category::ToneOff,
        &["занадто пафосно", "пафосн", "too dramatic", "pathetic", "preachy", "повчальн"],
        &[],
    ),
    (Category::StructureWrong, &["розвали", "хаотич", "messy", "all over the place"], &[]),
    (Category::CtaMissing, &["нема питання", "немає питання", "без питання", "ask something"], &[]),
];

fn style(plain: &str) -> Option<Category> {
    let has = |words: &[&str]| words.iter().any(|word| begins_a_word(plain, word));
    let fits = |rule: &&Rule| has(rule.1) && (rule.2.is_empty() || has(rule.2));
    RULES.iter().find(fits).map(|rule| rule.0)
}

/// Does a word of the text begin with this?
fn begins_a_word(text: &str, wanted: &str) -> bool {
    text.match_indices(wanted).any(|(at, _)| {
        text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric())
    })
}
