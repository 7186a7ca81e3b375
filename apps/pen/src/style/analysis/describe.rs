//! Describes measurements in words; the schema and prompt for a model that describes a voice.

use serde_json::{Map, Value, json};

use crate::posts::length::Platform;
use crate::style::stylometry::{Closing, Opening, Stylometry};
use crate::text::language::Lang;

/// A voice in plain words, from measurements alone.
pub(crate) fn measured_voice(style: &Stylometry, lang: Lang) -> Value {
    json!({
        "tone": lang.pick("виміряно, ще не описано", "measured, not described yet"),
        "formality": address(style, lang),
        "personality": lang.pick(
            "Ще не описано: додайте опис або запустіть init з моделлю.",
            "Not described yet: add a description, or run init with a model.",
        ),
        "sentence_style": sentence_style(style, lang),
        "paragraph_style": paragraph_style(style, lang),
        "hooks": hooks(style, lang),
        "closings": closings(style, lang),
        "signature_phrases": style.signature_candidates.iter().take(5).collect::<Vec<_>>(),
        "avoid": avoid(style, lang),
        "emoji_usage": emoji_usage(style, lang),
    })
}

fn address(style: &Stylometry, lang: Lang) -> String {
    match (&style.persons.address, lang) {
        (Some(form), Lang::Uk) => format!("звертання на «{form}»"),
        (Some(form), Lang::En) => format!("addresses readers with «{form}»"),
        (None, Lang::Uk) => "без прямого звертання".to_owned(),
        (None, Lang::En) => "does not address readers".to_owned(),
    }
}

fn sentence_style(style: &Stylometry, lang: Lang) -> String {
    let words = &style.rhythm.sentence_words;
    let fragments = style.rhythm.fragment_share * 100.0;
    match lang {
        Lang::Uk => format!(
            "Слів у реченні: у середньому {:.0}, рідко більше {:.0}; \
             фрагментів (до 4 слів): {fragments:.0} %.",
            words.mean, words.p90
        ),
        Lang::En => format!(
            "{:.0} words on average, seldom more than {:.0}; \
             {fragments:.0} % fragments of up to 4 words.",
            words.mean, words.p90
        ),
    }
}

fn paragraph_style(style: &Stylometry, lang: Lang) -> String {
    let sentences = &style.rhythm.paragraph_sentences;
    let own_line = style.rhythm.sentence_per_line_share * 100.0;
    let (least, most) = (sentences.p10.max(1.0), sentences.p90.max(1.0));
    let range = if least < most { format!("{least:.0}-{most:.0}") } else { format!("{most:.0}") };
    match lang {
        Lang::Uk => {
            format!("Речень в абзаці: {range}; рядків з одним реченням: {own_line:.0} %.")
        }
        Lang::En => {
            format!("Sentences in a paragraph: {range}; lines of one sentence: {own_line:.0} %.")
        }
    }
}

/// Each kind of opening that was seen, most frequent first, with a line that shows it.
fn hooks(style: &Stylometry, lang: Lang) -> Vec<String> {
    let kinds = style.openings.iter().zip(&style.hook_candidates);
    let name = |kind: Opening| match kind {
        Opening::Question => lang.pick("питання", "question"),
        Opening::Quote => lang.pick("цитата", "quote"),
        Opening::Number => lang.pick("цифра або статистика", "number or statistic"),
        Opening::FirstPerson => lang.pick("особиста історія", "personal story"),
        Opening::ShortStatement => lang.pick("коротке твердження", "short statement"),
        Opening::Statement => lang.pick("твердження", "statement"),
    };
    kinds.map(|((kind, _), line)| format!("{} («{line}»)", name(*kind))).collect()
}

fn closings(style: &Stylometry, lang: Lang) -> Vec<String> {
    let name = |kind: Closing| match kind {
        Closing::Question => lang.pick("питання до читача", "question to the reader"),
        Closing::Call => lang.pick("заклик (CTA)", "call to action (CTA)"),
        Closing::Hashtags => lang.pick("рядок підсумку, потім хештеги", "one line, then hashtags"),
        Closing::ShortStatement => {
            lang.pick("короткий рядок підсумку", "one short line that sums up")
        }
        Closing::Statement => lang.pick("речення підсумку", "a sentence that sums up"),
    };
    style.closings.iter().map(|(kind, _)| name(*kind).to_owned()).collect()
}

/// Rules for what never occurs.
fn avoid(style: &Stylometry, lang: Lang) -> Vec<String> {
    let mut rules = Vec::new();
    let most = style.emoji.most;
    rules.push(match (most, lang) {
        (0, Lang::Uk) => "emoji".to_owned(),
        (0, Lang::En) => "emoji".to_owned(),
        (most, Lang::Uk) => format!("більше {most} emoji на пост"),
        (most, Lang::En) => format!("more than {most} emoji in a post"),
    });
    if style.hashtags.place == "end" {
        rules.push(lang.pick("хештеги всередині тексту", "hashtags inside the text").to_owned());
    }
    if !style.marks.contains_key("!") {
        rules.push(lang.pick("знаки оклику", "exclamation marks").to_owned());
    }
    let words: Vec<_> =
        style.avoid_candidates.iter().take(5).map(|one| format!("«{one}»")).collect();
    if !words.is_empty() {
        rules.push(format!("{} {}", lang.pick("вирази", "phrases"), words.join(", ")));
    }
    rules
}

fn emoji_usage(style: &Stylometry, lang: Lang) -> String {
    let signs = &style.emoji;
    match (signs.most, lang) {
        (0, Lang::Uk) => "не використовує".to_owned(),
        (0, Lang::En) => "no emoji".to_owned(),
        (most, Lang::Uk) => format!("до {most} на пост: {}", signs.set.join(" ")),
        (most, Lang::En) => format!("up to {most} a post: {}", signs.set.join(" ")),
    }
}

/// The platforms of a new profile with their usual lengths.
pub(crate) fn usual_platforms(style: &Stylometry, lang: Lang) -> Map<String, Value> {
    let lines = lang.pick("з абзацами, як у прикладах", "paragraphs as in the examples");
    let structure = lang.pick("hook → розвиток → висновок", "hook → development → conclusion");
    let tags = match (style.hashtags.most, lang) {
        (0, _) => "0".to_owned(),
        (most, Lang::Uk) => format!("0-{most} в кінці"),
        (most, Lang::En) => format!("0-{most} at the end"),
    };
    Platform::OF_PROFILES
        .iter()
        .map(|platform| {
            let hashtags = match (platform, platform.hashtags_max()) {
                (Platform::X | Platform::Threads, _) => "0-1".to_owned(),
                (_, Some(limit)) if style.hashtags.most > limit => {
                    format!("0-{limit} {}", lang.pick("в кінці", "at the end"))
                }
                (_, _) => tags.clone(),
            };
            let rules = json!({
                "max_length": platform.usual_length(),
                "structure": structure,
                "tone_override": null,
                "formatting": lines,
                "hashtags": hashtags,
            });
            (platform.to_string(), rules)
        })
        .collect()
}

/// The schema of a description by a model.
pub fn voice_schema() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about, "minLength": 1 });
    let texts = |about: &str| {
        json!({ "type": "array", "description": about, "minItems": 1, "maxItems": 10,
                "items": { "type": "string", "minLength": 1 } })
    };
    let platform = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["structure", "formatting"],
        "properties": {
            "structure": text("The order of the parts of a post, as in `hook → story → question`."),
            "formatting": text("Line breaks, lists, arrows."),
            "hashtags": text("How many and where, as in `3-5 at the end`."),
            "notes": text("What works here."),
        },
    });
    let platforms: Map<String, Value> =
        Platform::OF_PROFILES.iter().map(|name| (name.to_string(), platform.clone())).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["voice", "platforms", "why_good"],
        "properties": {
            "voice": {
                "type": "object",
                "additionalProperties": false,
                "required": ["tone", "formality", "personality", "sentence_style",
                             "paragraph_style", "hooks", "closings", "signature_phrases", "avoid",
                             "emoji_usage"],
                "properties": {
                    "tone": text("Two to four specific words; not `professional` or `engaging`."),
                    "formality": text("How formal, with a comparison."),
                    "personality": text("Two or three sentences."),
                    "sentence_style": text("Length and rhythm."),
                    "paragraph_style": text("Length and blank lines."),
                    "hooks": texts("Kinds of openings, most frequent first, with a quoted sample."),
                    "closings": texts("Kinds of endings, most frequent first."),
                    "signature_phrases": { "type": "array", "maxItems": 10,
                        "description": "Recurring phrases, exactly as written.",
                        "items": { "type": "string", "minLength": 1 } },
                    "avoid": texts("What the author never does: words in quotes, numbers, structures."),
                    "emoji_usage": text("How many, which, where."),
                },
            },
            "platforms": {
                "type": "object",
                "additionalProperties": false,
                "properties": platforms,
            },
            "why_good": { "type": "array", "maxItems": 5,
                "description": "For each of the first posts: what makes it good, in one sentence.",
                "items": { "type": "string" } },
        },
    })
}

/// The instructions for analysing posts.
pub fn analysis_instructions(language: &str) -> String {
    format!(
        "You read posts of one author and describe how they write, so that others can write like them. \
         Describe only what the posts show. Be specific and quote. Write every value in the \
         language `{language}`. Do not contradict the measured numbers beside the posts."
    )
}

/// The description so far, and what the author wants corrected.
pub fn correction_input(described: &Value, correction: &str) -> String {
    format!(
        "The description so far:\n{described:#}\n\nThe author corrects it: {correction}\n\n\
         Answer with the whole description, with this correction made and everything else kept."
    )
}
