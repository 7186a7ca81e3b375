//! Finds keys that appear twice in one object of a JSON text.
//!
//! Parsers disagree on which of the two counts, and ours would silently take the last.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// The fault of a text with a repeated key, or with a syntax error, and its place.
pub(super) fn check_unique_keys(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<UniqueKeys>(text).map(drop)
}

/// Any JSON value; only its keys are looked at.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Keys)
    }
}

struct Keys;

impl<'de> Visitor<'de> for Keys {
    type Value = UniqueKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<UniqueKeys, A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if seen.contains(&key) {
                let what = format!("the key `{key}` appears twice in one object");
                return Err(A::Error::custom(what));
            }
            seen.insert(key);
            map.next_value::<UniqueKeys>()?;
        }
        Ok(UniqueKeys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<UniqueKeys, A::Error> {
        while list.next_element::<UniqueKeys>()?.is_some() {}
        Ok(UniqueKeys)
    }

    fn visit_unit<E: Error>(self) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<UniqueKeys, E> {
        Ok(UniqueKeys)
    }
}

#[cfg(test)]
mod tests {
    use super::check_unique_keys;

    #[test]
    fn a_repeated_key_is_found_at_any_depth_with_its_place() {
        let check = |text: &str, expected: Option<&str>| {
            let found = check_unique_keys(text).map_err(|fault| fault.to_string()).err();
            assert_eq!(found.as_deref(), expected, "{text}");
        };
        check(r#"{"a": 1, "b": [{"a": 2}, {"a": null}], "c": {"a": "x"}, "d": 1.5}"#, None);
        check(r#"[true, -1, "a", "a", {}]"#, None);
        let twice = "the key `a` appears twice in one object";
        check("{\"a\": 1,\n\"a\": 1}", Some(&format!("{twice} at line 2 column 3")));
        check("[{\"b\": {\"a\": 1, \"a\": 2}}]", Some(&format!("{twice} at line 1 column 19")));
        // The same key, written in another way.
        check(r#"{"a": 1, "\u0061": 2}"#, Some(&format!("{twice} at line 1 column 17")));
        check("{", Some("EOF while parsing an object at line 1 column 1"));
    }
}
