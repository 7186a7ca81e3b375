//! Phrases of the three languages, and what they mean. GP-14, GP-17.

use super::Intent;

/// One intent on each line, then the phrases.
const PHRASES: [(Option<Intent>, &[&str]); 15] = [
    (
        Some(Intent::Yes),
        &[
            "так",
            "Так!",
            "так, будь ласка",
            "так-так",
            "ага",
            "угу, дякую",
            "звісно",
            "да",
            "Да, пожалуйста",
            "конечно",
            "yes",
            "Yes please!",
            "yep",
            "sure, thanks",
            "of course",
            "ok",
            "ОК",
            "все ок",
            "усе гаразд",
            "добре",
            "хорошо",
            "sounds good",
            "👍",
            "👍🏽",
            "✅",
            "+",
            "супер",
            "класно!",
            "мені подобається",
            "looks good to me",
            "perfect, thank you very much",
            "так, давай",
        ],
    ),
    (
        Some(Intent::Update),
        &["оновлюй", "онови профіль", "давай", "міняй", "обновляй", "apply it", "go ahead, please"],
    ),
    (
        Some(Intent::No),
        &[
            "ні",
            "Ні.",
            "ні, дякую",
            "ні-ні, дякую",
            "ні, не треба",
            "не треба",
            "не потрібно, дякую",
            "не хочу",
            "не зберігай",
            "не оновлюй",
            "ні, не оновлюй профіль",
            "лиши як є",
            "залиш як було, будь ласка",
            "нічого не міняй",
            "не подобається",
            "нет",
            "нет, спасибо",
            "не надо",
            "не нужно, спасибо",
            "оставь как есть",
            "не сохраняй",
            "no",
            "No thanks",
            "no, thank you",
            "nope",
            "don't save",
            "do not update it",
            "leave it as it is",
            "no need, thanks",
            "keep it",
            "skip",
            "👎",
            "-",
            "не",
        ],
    ),
    (
        Some(Intent::Later),
        &[
            "потім",
            "потім, дякую",
            "не зараз",
            "давай потім",
            "ні, пізніше",
            "іншим разом",
            "ще подумаю",
            "позже",
            "не сейчас",
            "давай потом",
            "later",
            "not now",
            "maybe later",
            "next time, thanks",
            "let me think",
        ],
    ),
    (
        Some(Intent::Stop),
        &[
            "exit",
            "quit",
            "QUIT",
            "q",
            ":q",
            "/exit",
            "вихід",
            "вийти",
            "стоп",
            "досить",
            "выход",
            "хватит, спасибо",
            "stop, please",
            "bye",
            "ні, вихід",
        ],
    ),
    (
        Some(Intent::Save),
        &[
            "зберігай",
            "чудово, лишаємо так",
            "так і залишаємо",
            "отлично, так и оставляем",
            "збережи",
            "збережи, будь ласка",
            "зберігай!",
            "ок, зберігай",
            "так, зберігай",
            "класно, зберігай",
            "супер, зберігай, дякую!",
            "готово",
            "готово 👍",
            "добре, збережи пост",
            "сохраняй",
            "сохрани, пожалуйста",
            "save",
            "save it",
            "ok, save it please",
            "looks good, save it",
            "done",
            "ship it",
            ":wq",
            "зберігай і виходь",
            "save and quit",
        ],
    ),
    (
        Some(Intent::SaveToNotion),
        &[
            "збережи в Notion",
            "зберегти в ноушн",
            "save to Notion",
            "так, в Notion",
            "ок, зберігай у Notion, дякую",
            "сохрани в Notion",
            "в Notion",
        ],
    ),
    (
        Some(Intent::Help),
        &["?", "help", "допомога", "що можна?", "помощь", "/help", "не розумію", "what can i do?"],
    ),
    (
        Some(Intent::Undo),
        &[
            "undo",
            "скасуй",
            "скасуй правку, будь ласка",
            "поверни",
            "поверни як було",
            "поверни попередню версію",
            "назад",
            "отмени",
            "верни как было",
            "go back",
            "revert that, please",
        ],
    ),
    (
        Some(Intent::Redo),
        &["redo", "поверни правку", "верни изменение", "redo it please", "крок вперед"],
    ),
    (
        Some(Intent::StartOver),
        &[
            "не те",
            "Давай спочатку!",
            "зовсім не те",
            "start over",
            "not it",
            "заново",
            "давай сначала",
            "інший варіант, будь ласка",
        ],
    ),
    (
        Some(Intent::EditByHand),
        &["edit", "/edit", "редагувати", "я сам", "вручну", "let me edit", "вручную"],
    ),
    (Some(Intent::Nothing), &["", "  "]),
    (
        Some(Intent::Unclear),
        &[
            "хм",
            "може",
            "не знаю",
            "мабуть",
            "так і ні",
            "так?",
            "ні?",
            "дякую",
            "maybe",
            "not sure",
            "наверное",
            "whatever",
            "...",
            "🤔",
            "так, ні",
        ],
    ),
    (
        None,
        &[
            "теплий, іронічний",
            "casual, як розмова з другом",
            "так, але коротше",
            "ні, зроби теплішим",
            "зроби hook коротшим",
            "занадто формально",
            "заміни «так» на «ні»",
            "збережи тон, але скороти",
            "не зберігай формальний тон",
            "додай, що треба зберегти гроші",
            "save the money part for later paragraphs",
            "no emoji",
            "без емодзі",
            "не мій тон",
            "не використовуй слово «втома»",
            "1",
            "voice.tone = так",
            "yesterday was better",
            "окейно",
            "наступний абзац",
        ],
    ),
];

#[test]
fn gp_14_phrases_mean_what_people_mean() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (expected, phrases) in PHRASES {
        for phrase in phrases {
            count += 1;
            let found = Intent::of(phrase);
            if found != expected {
                wrong.push(format!("{phrase:?}: {found:?}, not {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 150, "{count}");
}

#[test]
fn gp_17_only_a_yes_is_a_yes() {
    for (expected, phrases) in PHRASES {
        for phrase in phrases {
            let is_yes = matches!(expected, Some(Intent::Yes | Intent::Update));
            assert_eq!(Intent::is_yes(phrase), is_yes, "{phrase}");
        }
    }
}

#[test]
fn every_phrase_of_the_lexicon_is_folded_and_has_one_meaning() {
    for (phrase, _) in super::lexicon::phrases() {
        assert_eq!(crate::text::fold(phrase), phrase);
    }
    let all: Vec<_> = super::lexicon::phrases().map(|(phrase, _)| phrase).collect();
    let mut seen = std::collections::BTreeMap::new();
    for (phrase, signal) in super::lexicon::phrases() {
        let first = *seen.entry(phrase).or_insert(signal);
        assert_eq!(first, signal, "`{phrase}` has two meanings");
    }
    assert!(all.len() > 600, "{}", all.len());
}
