//! A short story, the cards that a model makes of it, and a page that has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fake_providers::{Step, Turn};
use serde_json::{Value, json};

use crate::browser::Tab;
use crate::pad::Pad;

pub(crate) const STORY: &str = "Rīta agrumā Anna gāja gar jūru. Viņa meklēja dzintaru.\n\n\
    Pēc vētras krasts bija pilns ar gliemežvākiem. Anna pacēla mazu, zeltainu akmeni. \
    Tas bija silts kā saule.";

/// A sentence, and of each card: base form, meaning, form, meaning of the form.
type Told = (&'static str, &'static str, &'static [[&'static str; 4]]);

const TOLD: [Told; 5] = [
    (
        "Rīta",
        "Рано-вранці Анна йшла вздовж моря.",
        &[
            ["rīta agrums", "рання пора ранку", "Rīta agrumā", "рано-вранці"],
            ["Anna", "Анна", "Anna", "Анна"],
            ["iet", "іти", "gāja", "йшла"],
            ["jūra", "море", "jūru", "моря"],
        ],
    ),
    (
        "Viņa",
        "Вона шукала бурштин.",
        &[
            ["meklēt", "шукати", "meklēja", "шукала"],
            ["dzintars", "бурштин", "dzintaru", "бурштин"],
        ],
    ),
    (
        "Pēc",
        "Після бурі берег був повний мушель.",
        &[
            ["vētra", "буря", "vētras", "бурі"],
            ["krasts", "берег", "krasts", "берег"],
            ["pilns ar", "повний чогось", "pilns ar", "повний"],
            ["gliemežvāks", "мушля", "gliemežvākiem", "мушель"],
        ],
    ),
    (
        "Anna pacēla",
        "Анна підняла маленький золотавий камінь.",
        &[
            ["Anna", "Анна", "Anna", "Анна"],
            ["pacelt", "підняти", "pacēla", "підняла"],
            ["akmens", "камінь", "akmeni", "камінь"],
        ],
    ),
    (
        "Tas",
        "Він був теплий, як сонце.",
        &[["silts", "теплий", "silts", "теплий"], ["saule", "сонце", "saule", "сонце"]],
    ),
];

/// The numbered sentences of a request, wherever in its body they stand.
fn asked(body: &Value, found: &mut Vec<(usize, String)>) {
    match body {
        Value::String(text) if text.starts_with('[') => {
            for line in text.lines() {
                let numbered = line.strip_prefix('[').and_then(|line| line.split_once("] "));
                let Some((number, words)) = numbered else { continue };
                found.extend(number.parse().ok().map(|number| (number, words.to_owned())));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| asked(item, found)),
        Value::Object(map) => map.values().for_each(|item| asked(item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn cards(index: usize, sentence: &str) -> Vec<Value> {
    let told = TOLD.iter().rev().find(|(start, ..)| sentence.starts_with(start));
    let Some((_, translation, words)) = told else {
        let word = sentence.split([' ', '.']).next().unwrap_or_default().to_owned();
        return vec![card(index, "Переклад.", [&word, "значення", &word, "тут"])];
    };
    words.iter().map(|word| card(index, translation, *word)).collect()
}

fn card(index: usize, translation: &str, [base, meaning, form, here]: [&str; 4]) -> Value {
    let unit = if base.contains(' ') { "phrase" } else { "word" };
    json!({
        "base_form": base, "base_translation": meaning, "unit": unit, "visible": true,
        "contexts": [{ "sid": index, "translation": translation,
                       "forms": [{ "form": form, "translation": here }] }],
    })
}

pub(crate) struct Learner {
    pub pad: Pad,
    /// Does the model refuse the sentence about amber?
    pub refuses: Arc<AtomicBool>,
}

impl Learner {
    pub(crate) fn new() -> Self {
        Self::set("")
    }

    /// With further settings.
    pub(crate) fn set(settings: &str) -> Self {
        Self::of(Pad::set(&[], settings))
    }

    /// On this server.
    pub(crate) fn of(pad: Pad) -> Self {
        let refuses = Arc::new(AtomicBool::new(false));
        let switch = Arc::clone(&refuses);
        pad.model.answering(move |body| answer(body, switch.load(Ordering::SeqCst)));
        Self { pad, refuses }
    }

    /// The page before anything was made.
    pub(crate) fn tab(&self) -> Tab {
        let tab = self.pad.opened();
        tab.open(&format!("{}cards", self.pad.url));
        tab.sees("#text");
        tab
    }

    /// A page that shows the first card of a text.
    pub(crate) fn learning(&self, text: &str) -> Tab {
        self.learns(self.tab(), text)
    }

    /// The same in a tab with the page before anything was made.
    pub(crate) fn learns(&self, tab: Tab, text: &str) -> Tab {
        choose(&tab, "#to", "uk");
        tab.fill("#text", text);
        tab.click("#make");
        // The price of this model is unknown: the person is asked first.
        tab.sees(".offer >> is unknown");
        tab.click("#start");
        tab.misses(".offer");
        tab.misses(".at-work");
        mode(&tab, "flash");
        tab.sees(".face");
        tab
    }
}

fn answer(body: &Value, refuses: bool) -> Step {
    let mut sentences = Vec::new();
    asked(body, &mut sentences);
    if refuses && sentences.iter().any(|(_, text)| text.contains("dzintaru")) {
        return Turn::refuses("No.").into();
    }
    let all: Vec<Value> = sentences.iter().flat_map(|(index, text)| cards(*index, text)).collect();
    Turn::calls("emit_flashcards", json!({ "flashcards": all })).into()
}

pub(crate) fn mode(tab: &Tab, name: &str) {
    tab.click(&format!("[data-mode={name}]"));
    tab.sees(&format!("main.view-{name}"));
}

/// Picks from a list, as a person does.
pub(crate) fn choose(tab: &Tab, what: &str, value: &str) {
    let (what, value) = (json!(what), json!(value));
    let script = "for (const kind of ['input', 'change']) \
        pick.dispatchEvent(new Event(kind, { bubbles: true }));";
    tab.eval(&format!("(() => {{ const pick = find({what}); pick.value = {value}; {script} }})()"));
}
