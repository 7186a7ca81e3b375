//! Valid and invalid JSON texts.

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let shown = match text.parse::<Json>() {
        Ok(json) => format!("ok {json}"),
        Err(BadJson::Syntax(_)) => "syntax".to_owned(),
        Err(BadJson::TooDeep) => "too deep".to_owned(),
    };
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn a_text_keeps_its_spelling_without_white_space() {
    check(" { \"b\" : 1.0 ,\n\"a\" : [ 1e3 , true ] }\r\n", r#"ok {"b":1.0,"a":[1e3,true]}"#);
    check(r#""a b \" c\\""#, r#"ok "a b \" c\\""#);
    check("12345678901234567890123", "ok 12345678901234567890123");
    check("nul", "syntax");
    check("1 2", "syntax");
    check("", "syntax");
    check("\"a\nb\"", "syntax");
    check(r#""\ud800""#, "syntax");
    check("[", "syntax");
    check(
        &("[".repeat(100) + &"]".repeat(100)),
        &("ok ".to_owned() + &"[".repeat(100) + &"]".repeat(100)),
    );
    check(&("[".repeat(101) + &"]".repeat(101)), "too deep");
    check(&"[".repeat(1_000_000), "too deep");
}

#[test]
fn json_is_embedded_in_json_unchanged() {
    let inner: Json = r#"{"z":1.50,"a":"\u0041"}"#.parse().unwrap();
    let outer = Json::of(&json!({ "n": 1 })).unwrap();
    let both = serde_json::to_string(&[&outer, &inner]).unwrap();
    assert_eq!(both, r#"[{"n":1},{"z":1.50,"a":"\u0041"}]"#);
    assert_eq!(serde_json::from_str::<Vec<Json>>(&both).unwrap(), [outer, inner]);
}

proptest! {
    #[test]
    fn any_text_is_refused_or_keeps_its_meaning(text in r#"[\[\]{}",:0-9a-e\\ \n]{0,24}"#) {
        let meaning = serde_json::from_str::<Value>(&text).ok();
        let parsed = text.parse::<Json>().ok().map(|json| json.to::<Value>().unwrap());
        prop_assert_eq!(meaning, parsed);
    }
}
