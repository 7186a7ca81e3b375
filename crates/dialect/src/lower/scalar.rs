//! Strings and numbers.

use serde_json::{Map, Value, json};

use super::rules::{Rule, inclusive, number_rules, text_rules};
use super::{Lowered, Lowerer};
use crate::graph::Node;
use crate::loss::LossKind;
use crate::plan::Step;
use crate::schema::json_types::Types;
use crate::schema::pattern::{self, Use};
use crate::target::{Bounds, Formats, Patterns};

/// Higher repeat counts are more than a simple engine supports.
const SIMPLE_REPEAT_MAX: u32 = 100;
/// Larger integers are not exact in a double.
const EXACT_DOUBLE_MAX: f64 = 9_007_199_254_740_992.0;

impl Lowerer<'_> {
    pub(crate) fn text(&mut self, node: &Node) -> Lowered {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!("string"));
        let mut lowered = Lowered::new(schema, Step::Same);
        for rule in text_rules(node) {
            let sent = match rule.keyword {
                "format" => self.takes_format(&rule).then(|| rule.value.clone()),
                "pattern" => self.taken_pattern(&rule),
                keyword => (self.takes_keyword(keyword) && self.takes_count(&rule))
                    .then(|| rule.value.clone()),
            };
            // A keyword can appear only once; a second pattern becomes a note.
            match sent.filter(|_| !lowered.schema.contains_key(rule.keyword)) {
                Some(value) => {
                    lowered.schema.insert(rule.keyword.to_owned(), value);
                }
                None => self.noted(&mut lowered, node.pointer(), rule.keyword, rule.note()),
            }
        }
        lowered
    }

    pub(crate) fn takes_keyword(&self, keyword: &str) -> bool {
        self.rules.keywords.contains(&keyword)
    }

    fn takes_format(&self, rule: &Rule) -> bool {
        match self.rules.formats {
            Formats::All => true,
            Formats::Listed(list) => {
                rule.value.as_str().is_some_and(|format| list.contains(&format))
            }
        }
    }

    /// A pattern in the form that the target accepts.
    fn taken_pattern(&self, rule: &Rule) -> Option<Value> {
        let text = rule.value.as_str().filter(|_| self.takes_keyword("pattern"))?;
        match self.rules.patterns {
            Patterns::Anchored => pattern::anchored(text).map(Value::String),
            others @ (Patterns::All | Patterns::NoLookaround | Patterns::Simple) => {
                pattern_fits(text, others).then(|| rule.value.clone())
            }
        }
    }

    /// Whether a count is within the target's limit.
    pub(crate) fn takes_count(&self, rule: &Rule) -> bool {
        rule.value.as_u64().is_none_or(|count| count <= self.rules.count_max)
    }

    fn takes_bound(&self, value: &Value) -> bool {
        match self.rules.bounds {
            Bounds::All => true,
            Bounds::Double => value.as_f64().is_some_and(|value| value.abs() <= EXACT_DOUBLE_MAX),
            Bounds::Int64 => {
                value.as_i64().is_some_and(|value| value.checked_abs() < Some(i64::MAX))
                    || value.as_f64().is_some_and(|value| value.abs() <= EXACT_DOUBLE_MAX)
            }
        }
    }

    pub(crate) fn number(&mut self, node: &Node, kind: Types) -> Lowered {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), json!(kind.name()));
        let mut lowered = Lowered::new(schema, Step::Same);
        let formats = &node.number.formats;
        if let Some(format) =
            formats.iter().find(|name| self.rules.number_formats.contains(&name.as_str()))
        {
            lowered.schema.insert("format".to_owned(), json!(format));
        }
        for mut rule in number_rules(node, kind) {
            if kind == Types::INTEGER && !self.takes_keyword(rule.keyword) {
                rule = self.made_inclusive(node, rule);
            }
            self.number_rule(node, rule, &mut lowered);
        }
        lowered
    }

    /// Makes an exclusive bound of an integer inclusive.
    fn made_inclusive(&self, node: &Node, rule: Rule) -> Rule {
        let (bound, keyword) = match rule.keyword {
            "exclusiveMinimum" => (&node.number.minimum, "minimum"),
            "exclusiveMaximum" => (&node.number.maximum, "maximum"),
            _ => return rule,
        };
        match bound.as_ref().and_then(inclusive) {
            Some(value) if self.takes_keyword(keyword) => {
                Rule { keyword, value: Value::Number(value) }
            }
            Some(_) | None => rule,
        }
    }

    fn number_rule(&mut self, node: &Node, rule: Rule, lowered: &mut Lowered) {
        let exact = self.takes_bound(&rule.value);
        if self.takes_keyword(rule.keyword) && exact && !lowered.schema.contains_key(rule.keyword) {
            lowered.schema.insert(rule.keyword.to_owned(), rule.value);
            return;
        }
        // The closed interval is wider than the open one, which is better than no bound.
        let closed = match rule.keyword {
            "exclusiveMinimum" => Some("minimum"),
            "exclusiveMaximum" => Some("maximum"),
            _ => None,
        };
        if let Some(closed) = closed.filter(|closed| exact && self.takes_keyword(closed)) {
            lowered.note(rule.note());
            lowered.schema.insert(closed.to_owned(), rule.value);
            let mut place = node.pointer().to_owned();
            crate::schema::subschemas::push_segment(&mut place, rule.keyword);
            let what = format!(
                "`{}` became `{closed}`; the open end is stated in the description and checked by us",
                rule.keyword
            );
            self.lose(LossKind::Noted, &place, rule.keyword, &what);
            return;
        }
        self.noted(lowered, node.pointer(), rule.keyword, rule.note());
    }
}

/// Whether a target accepts a pattern.
pub(crate) fn pattern_fits(text: &str, patterns: Patterns) -> bool {
    let Ok(traits) = pattern::scan(text) else { return false };
    let plain = traits.lookaround == Use::Absent && traits.backreference == Use::Absent;
    match patterns {
        Patterns::All => true,
        Patterns::Anchored => pattern::anchored(text).is_some(),
        Patterns::NoLookaround => plain,
        Patterns::Simple => {
            plain && traits.fancy == Use::Absent && traits.repeat_max <= SIMPLE_REPEAT_MAX
        }
    }
}
