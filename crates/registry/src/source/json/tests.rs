//! The reader accepts the same JSON as serde, and reports where it is invalid.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let fault = parse(text).expect_err("this should not be JSON");
    assert_eq!(format!("{}..{} {}", fault.span.start, fault.span.end, fault.what), expected);
}

#[test]
fn faults_point_at_the_place() {
    check("", "0..0 the file ends where a value should be");
    check("{\"a\": 1,}", "7..8 there is a comma after the last entry of the object");
    check("[1 2]", "3..4 a comma, or the end of the list, is missing here");
    check("{\"a\" 1}", "5..6 a `:` is missing after the key");
    check("{a: 1}", "1..2 a key is missing here, or has no quotes");
    check("{'a': 1}", "1..2 strings need double quotes");
    check("{\"a\": // x\n1}", "6..7 JSON has no comments");
    check("{\"a\": 1 /* x */}", "8..9 JSON has no comments");
    check("\"abc\n\"", "0..4 this string is not closed");
    check("\"a\\x\"", "2..4 this escape is unknown");
    check("\"\\u12\"", "1..6 this escape is unknown");
    check("\"\\ud800\"", "1..7 this escape is unknown");
    check("[1", "0..1 this list is not closed");
    check("01", "0..2 `01` is not a number");
    check("1.", "0..2 `1.` is not a number");
    check("{} x", "3..4 there is more after the end of the document");
    check("nul", "0..1 this is not a JSON value");
    check("{,}", "1..2 there is an extra comma");
    check(&"[".repeat(1000), "129..130 lists and objects are nested more than 128 deep");
}

#[test]
fn spans_and_pointers_match_the_text() {
    let text = r#"{"a": {"b": [10, "x"]}}"#;
    let node = parse(text).unwrap();
    let at = |pointer: &str| &text[node.nearest(&pointer.parse().unwrap()).span.clone()];
    assert_eq!(at("/a/b/1"), r#""x""#);
    assert_eq!(at("/a/b/9"), r#"[10, "x"]"#);
    assert_eq!(&text[node.key_span(&"/a/b".parse().unwrap()).unwrap()], r#""b""#);
}

#[test]
fn numbers_report_whether_they_are_exact() {
    let exact = |text: &str| matches!(parse(text).unwrap().kind, Kind::Number(Exactness::Exact, _));
    for text in ["0", "-1", "18446744073709551615", "-9223372036854775808", "0.1", "1e3", "0.0"] {
        assert!(exact(text), "{text}");
    }
    for text in ["18446744073709551616", "1e999", "0.1234567890123456789", "1e-999"] {
        assert!(!exact(text), "{text}");
    }
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9f64).prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn what_serde_writes_is_read_back(value in json()) {
        prop_assert_eq!(&parse(&value.to_string()).unwrap().to_value(), &value);
        prop_assert_eq!(parse(&serde_json::to_string_pretty(&value).unwrap()).unwrap().to_value(), value);
    }

    #[test]
    fn we_accept_exactly_what_serde_accepts(text in r#"[\[\]{}",:0-9a-z\\. eE+-]{0,24}"#) {
        let serde = serde_json::from_str::<Value>(&text);
        // A number beyond doubles is accepted here, and reported as inexact.
        let too_large = serde.as_ref().is_err_and(|error| error.to_string().contains("out of range"));
        prop_assert!(too_large || parse(&text).is_ok() == serde.is_ok());
    }

    #[test]
    fn any_text_is_parsed_or_refused_within_its_bounds(text in "\\PC*|[\\[\\]{}\",:\\\\\u{0}-\u{ff}]*") {
        if let Err(fault) = parse(&text) {
            prop_assert!(text.get(fault.span).is_some());
        }
    }
}
