//! Parses a rule file: TOML text in, checked rules or all faults out.

use std::collections::BTreeSet;

use contract::{Capabilities, Category, Mode, SideEffects};
use toml::de::DeTable;

use super::argument::read_argument;
use super::example::{Example, read_examples};
use super::fault::{Faults, RuleFault, Span};
use super::matcher::{CapabilityMatcher, Matcher};
use super::toml_value::{TomlEntry, tables, text, texts, word, words};
use super::{ConfigRule, ConfigRules, Glob, Remember, RuleEffect};
use crate::RuleId;

const TEXT_BYTES_MAX: usize = 1 << 20;
const RULES_MAX: usize = 1_000;
const EFFECTS: [&str; 3] = ["allow", "ask", "deny"];
const ABOUT_KEYS: [&str; 6] =
    ["id", "effect", "because", "may_be_remembered", "must_match", "must_not_match"];
/// The keys that select calls.
const MATCHER_KEYS: [&str; 6] =
    ["tools", "category", "side_effects", "capability", "modes", "arguments"];

/// Reads the text of a rule file. `file` is only named in faults and reasons.
pub fn parse_rules(file: &str, text: &str) -> Result<ConfigRules, Vec<RuleFault>> {
    let mut faults = Faults::new(file, text);
    let rules = read_file(text, &mut faults);
    match faults.is_empty() {
        true => Ok(ConfigRules(rules)),
        false => Err(faults.into_sorted()),
    }
}

fn read_file(text: &str, faults: &mut Faults<'_>) -> Vec<ConfigRule> {
    if text.len() > TEXT_BYTES_MAX {
        faults.too_large(&(0..0), "bytes", TEXT_BYTES_MAX);
        return Vec::new();
    }
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            faults.not_toml(&error.span().unwrap_or(0..0), error.message());
            return Vec::new();
        }
    };
    let mut rules = Vec::new();
    let mut ids = BTreeSet::new();
    for (key, value) in table.get_ref() {
        if key.get_ref() != "rule" {
            faults.unknown_key(&key.span(), key.get_ref(), &["rule"]);
            continue;
        }
        for entry in tables(value, "rule", faults) {
            rules.extend(read_rule(entry, &mut ids, faults));
        }
        if rules.len() > RULES_MAX {
            faults.too_large(&key.span(), "rules", RULES_MAX);
        }
    }
    rules
}

/// A rule as far as it was read.
#[derive(Default)]
struct Draft<'a> {
    id: Option<&'a str>,
    effect: Option<&'a str>,
    because: Option<&'a str>,
    may_be_remembered: Option<(bool, Span)>,
    matcher: Matcher,
    examples: Vec<Example>,
}

fn read_rule<'a>(
    (span, table): (Span, &'a DeTable<'a>),
    ids: &mut BTreeSet<&'a str>,
    faults: &mut Faults<'_>,
) -> Option<ConfigRule> {
    let faults_before = faults.count();
    let mut draft = Draft::default();
    for (key, value) in table {
        read_key(&mut draft, (key.span(), key.get_ref()), value, ids, faults);
    }
    let has = |key: &str| table.iter().any(|(name, _)| name.get_ref() == key);
    for (key, example) in [
        ("id", "id = \"ask-before-mail\""),
        ("effect", "effect = \"ask\""),
        ("because", "because = \"a sentence for the person who wonders\""),
    ] {
        if !has(key) {
            faults.missing_key(&span, key, example);
        }
    }
    if !MATCHER_KEYS.iter().any(|key| has(key)) {
        faults.matches_everything(&span);
    }
    let effect = draft.effect(faults)?;
    let rule = ConfigRule {
        id: RuleId::config(draft.id?),
        effect,
        because: draft.because?.to_owned(),
        place: faults.place(&span).to_string(),
        matcher: draft.matcher,
    };
    // A partly parsed rule would contradict its examples for the wrong reason.
    if faults.count() == faults_before {
        draft.examples.iter().for_each(|example| example.check(&rule, faults));
    }
    Some(rule)
}

fn read_key<'a>(
    draft: &mut Draft<'a>,
    (key_span, key): (Span, &str),
    value: &'a TomlEntry<'a>,
    ids: &mut BTreeSet<&'a str>,
    faults: &mut Faults<'_>,
) {
    let matcher = &mut draft.matcher;
    match key {
        "id" => draft.id = read_id(value, ids, faults),
        "effect" => draft.effect = word(value, "effect", &EFFECTS, faults),
        "because" => draft.because = text(value, "because", faults),
        "may_be_remembered" => match value.get_ref().as_bool() {
            Some(flag) => draft.may_be_remembered = Some((flag, key_span)),
            None => faults.wrong_kind(&value.span(), key, "`true` or `false`"),
        },
        "tools" => {
            let patterns = texts(value, key, faults);
            matcher.tools = patterns.into_iter().map(|(_, text)| Glob::new(text)).collect();
        }
        "category" => matcher.categories = words(value, key, Category::WORDS, faults),
        "side_effects" => matcher.side_effects = words(value, key, SideEffects::WORDS, faults),
        "modes" => matcher.modes = words(value, key, Mode::WORDS, faults),
        "capability" => matcher.capabilities = capabilities(value, faults),
        "arguments" => {
            let entries = tables(value, key, faults);
            let read = entries.into_iter().filter_map(|entry| read_argument(entry, faults));
            matcher.arguments = read.collect();
        }
        "must_match" => draft.examples.extend(read_examples(value, "must_match", faults)),
        "must_not_match" => draft.examples.extend(read_examples(value, "must_not_match", faults)),
        other => {
            let known: Vec<&str> = ABOUT_KEYS.into_iter().chain(MATCHER_KEYS).collect();
            faults.unknown_key(&key_span, other, &known);
        }
    }
}

impl Draft<'_> {
    fn effect(&self, faults: &mut Faults<'_>) -> Option<RuleEffect> {
        match (self.effect?, &self.may_be_remembered) {
            ("ask", Some((true, _))) => Some(RuleEffect::Ask(Remember::InConversation)),
            ("ask", _) => Some(RuleEffect::Ask(Remember::Never)),
            (effect, Some((_, key_span))) => {
                faults.useless_memory(key_span, effect);
                None
            }
            ("deny", None) => Some(RuleEffect::Deny),
            (_, None) => Some(RuleEffect::Allow),
        }
    }
}

fn read_id<'a>(
    value: &'a TomlEntry<'a>,
    ids: &mut BTreeSet<&'a str>,
    faults: &mut Faults<'_>,
) -> Option<&'a str> {
    let id = text(value, "id", faults)?;
    let fits = (1..=64).contains(&id.len())
        && id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    match (fits, ids.insert(id)) {
        (false, _) => faults.bad_id(&value.span(), id),
        (true, false) => faults.same_id(&value.span(), id),
        (true, true) => return Some(id),
    }
    None
}

fn capabilities(value: &TomlEntry<'_>, faults: &mut Faults<'_>) -> Vec<CapabilityMatcher> {
    let mut matchers = Vec::new();
    for (span, entry) in texts(value, "capability", faults) {
        match CapabilityMatcher::parse(entry) {
            Some(matcher) => matchers.push(matcher),
            None => faults.unknown_word(&span, "capability", entry, &Capabilities::NAMES),
        }
    }
    matchers
}
