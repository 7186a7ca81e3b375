//! Which calls a rule matches, and the faults of a file.

use serde_json::{Value, json};

use super::*;
use crate::test_fixtures::World;

/// The faults of a file: `line:column code what | fix`.
#[track_caller]
fn check_faults(text: &str, expected: &[&str]) {
    let faults = parse_rules("policy.toml", text).err().unwrap_or_default();
    let shown: Vec<String> = faults
        .iter()
        .map(|fault| {
            let RuleFault { code, place, what, fix } = fault;
            format!("{}:{} {code} {what} | {fix}", place.line, place.column)
        })
        .collect();
    assert_eq!(shown, expected);
}

fn rule(matchers: &str) -> String {
    format!("[[rule]]\nid = \"r\"\neffect = \"deny\"\nbecause = \"no\"\n{matchers}\n")
}

/// Whether a rule with these matchers matches this call.
#[track_caller]
fn check(matchers: &str, tool: &str, args: Value, expected: bool) {
    let verdict = World::new(tool, args.clone()).rules(&rule(matchers)).verdict();
    assert_eq!(verdict == "refuse PERMANENT config.r", expected, "{matchers} {args}: {verdict}");
}

#[test]
fn tools_are_matched_by_name_and_by_what_their_contract_says() {
    let none = || json!({});
    check(r#"tools = ["send_*"]"#, "send_mail", none(), true);
    check(r#"tools = ["*_mail", "pay"]"#, "pay", none(), true);
    check(r#"tools = "k?_search""#, "kb_search", none(), true);
    check(r#"tools = ["send"]"#, "send_mail", none(), false);
    check(r#"category = "action""#, "pay", none(), true);
    check(r#"category = ["retrieval", "utility"]"#, "pay", none(), false);
    check(r#"side_effects = "writes""#, "send_mail", none(), true);
    check(r#"side_effects = "writes""#, "kb_search", none(), false);
    check(r#"modes = ["voice"]"#, "kb_search", none(), false);
    check(r#"modes = ["voice", "text"]"#, "kb_search", none(), true);
    check("side_effects = \"writes\"\ntools = [\"kb_*\"]", "send_mail", none(), false);
}

#[test]
fn capabilities_are_matched_by_kind_and_entry() {
    let check = |capability: &str, expected: &str| {
        let mut world = World::new("send_mail", json!({}));
        world.contract.capabilities.net = vec!["api.example.com".parse().unwrap()];
        world.contract.capabilities.kv = vec!["mail/".parse().unwrap()];
        world.contract.capabilities.secrets = vec!["MAIL_KEY".parse().unwrap()];
        let rules = rule(&format!("capability = [\"{capability}\"]"));
        assert_eq!(world.rules(&rules).verdict(), expected, "{capability}");
    };
    check("net", "refuse PERMANENT config.r");
    check("net:*.example.com", "refuse PERMANENT config.r");
    check("net:*.example.org", "run default.run");
    check("kv:mail*", "refuse PERMANENT config.r");
    check("kv:MAIL*", "run default.run");
    check("secrets:MAIL*", "refuse PERMANENT config.r");
    check("secrets:mail*", "run default.run");
    check("files", "run default.run");
}

#[test]
fn arguments_are_matched_by_place_and_test() {
    let mail = |to: Value| json!({"to": to, "cc": [{"at": "bo@x.org"}], "amount": 100});
    let to = |test: &str| format!("arguments = [{{ at = \"/to\", {test} }}]");
    let check = |test: &str, value: Value, expected: bool| {
        check(&to(test), "send_mail", mail(value), expected);
    };
    check("equals = \"ana\"", json!("ana"), true);
    check("equals = 1", json!(1.0), true);
    check("equals = [1, 2]", json!([1, 2]), true);
    check("equals = 1", json!([2, 1]), true);
    check("equals = 1", json!("1"), false);
    check("one_of = [\"ana\", \"bo\"]", json!("bo"), true);
    check("one_of = [\"ana\", \"bo\"]", json!("cy"), false);
    check("matches = \"*@x.org\"", json!("ana@x.org"), true);
    check("matches = \"a*b*c\"", json!("a-b-b"), false);
    check("starts_with = \"an\"", json!("ana"), true);
    check("starts_with = \"na\"", json!("ana"), false);
    check("ends_with = \"@x.org\"", json!("ana@x.org.evil"), false);
    check("contains = \"x\"", json!("ana@x.org"), true);
    check("above = 10", json!(10), false);
    check("above = 9.5", json!(10), true);
    check("below = 10", json!(-1), true);
    check("above = 9223372036854775806", json!(9_223_372_036_854_775_807_u64), true);
    check("above = 10, below = 20", json!(15), true);
    check("above = 10, below = 20", json!(25), false);
}

#[test]
fn a_list_cannot_hide_one_of_its_items() {
    let check = |entry: &str, args: Value, expected: bool| {
        check(&format!("arguments = [{entry}]"), "send_mail", args, expected);
    };
    let evil = r#"{ at = "/to", ends_with = "@evil.org" }"#;
    check(evil, json!({"to": ["ana@x.org", "bo@evil.org"]}), true);
    check(evil, json!({"to": []}), false);
    check(evil, json!({}), false);
    let strangers = r#"{ at = "/to", ends_with = "@x.org", not = true }"#;
    check(strangers, json!({"to": ["ana@x.org", "bo@evil.org"]}), true);
    check(strangers, json!({"to": ["ana@x.org"]}), false);
    check(strangers, json!({"to": 5}), true);
    check(strangers, json!({}), true);
    let deep = r#"{ at = "/cc/*/at", ends_with = "@evil.org" }"#;
    check(deep, json!({"cc": [{"at": "ana@x.org"}, {"at": "bo@evil.org"}]}), true);
    check(deep, json!({"cc": [{"at": "ana@x.org"}]}), false);
}

#[test]
fn examples_are_checked_when_the_file_is_loaded() {
    let good = r#"
        [[rule]]
        id = "strangers"
        effect = "ask"
        because = "mail leaves the company"
        tools = ["send_*"]
        modes = ["text"]
        arguments = [{ at = "/to", ends_with = "@x.org", not = true }]
        must_match = [{ tool = "send_mail", mode = "text", args = { to = "a@evil.org" } }]
        must_not_match = [
            { tool = "send_mail", mode = "text", args = { to = "a@x.org" } },
            { tool = "kb_search", mode = "text" },
        ]
    "#;
    check_faults(good, &[]);
    let text =
        format!(
        "{}{}",
        rule("tools = [\"send_*\"]\nmust_match = [{ tool = \"send_mail\" }, { tool = \"pay\" }]"),
        rule("category = \"action\"\nmust_not_match = [{ tool = \"pay\", category = \"action\" }]\n\
              must_match = [{ tool = \"pay\" }]")
        .replace("\"r\"", "\"s\""),
    );
    check_faults(
        &text,
        &[
            "6:39 P014 rule `r` does not match this call of `pay`, but must | loosen the rule's \
             matchers, or move the example to `must_not_match`",
            "12:19 P014 rule `s` matches this call of `pay`, but must not | narrow the rule's \
             matchers, or move the example to `must_match`",
            "13:15 P015 the rule needs `category`, and the example does not have it | add \
             category = \"action\" to the example",
        ],
    );
}

#[test]
fn every_fault_of_a_file_has_a_place_and_a_fix() {
    check_faults(
        "rule = 3",
        &["1:8 P005 `rule` must be a list of tables | write a list of tables"],
    );
    check_faults(
        "rules = []",
        &["1:1 P003 `rules` is not a known key here | did you mean `rule`?"],
    );
    check_faults(
        "[[rule]]\nid = \"A b\"\neffect = \"denny\"\nbecuase = \"x\"\nsideEffects = \"write\"\n",
        &[
            "1:1 P004 `because` is missing | write because = \"a sentence for the person who \
             wonders\"",
            "1:1 P009 the rule does not say which calls it matches | add `tools`, `category`, \
             `side_effects`, `capability`, `modes` or `arguments`; for every call write tools = \
             [\"*\"]",
            "2:6 P007 `A b` is not a valid rule id | use 1 to 64 of a-z, 0-9 and -, as in \
             `ask-before-mail`",
            "3:10 P006 `denny` is not a value of `effect` | did you mean `deny`?",
            "4:1 P003 `becuase` is not a known key here | did you mean `because`?",
            "5:1 P003 `sideEffects` is not a known key here | did you mean `side_effects`?",
        ],
    );
    check_faults(
        &rule(
            "tools = []\nside_effects = [\"write\"]\ncapability = \
             [\"network\"]\nmay_be_remembered = true",
        ),
        &[
            "5:9 P010 `tools` is an empty list and would match nothing | add an entry, or remove \
             the key",
            "6:17 P006 `write` is not a value of `side_effects` | did you mean `writes`?",
            "7:15 P006 `network` is not a value of `capability` | use one of `net`, `kv`, \
             `secrets`, `files`, `attachments`",
            "8:1 P013 `may_be_remembered` has no effect on a rule with `deny` | delete it, or \
             write effect = \"ask\"",
        ],
    );
    check_faults(
        &rule("arguments = [{ at = \"to\", equal = 1 }, { above = \"x\" }]"),
        &[
            "5:14 P012 the entry names an argument but has no test | add one of `equals`, \
             `one_of`, `matches`, `starts_with`, `ends_with`, `contains`, `above`, `below`",
            "5:21 P011 the pointer `to` does not start with `/`; write `/a/b`, or nothing for the \
             whole | \
             write the place as `/to` or `/items/*/price`",
            "5:27 P003 `equal` is not a known key here | did you mean `equals`?",
            "5:40 P004 `at` is missing | write at = \"/to\"",
            "5:50 P005 `above` must be a number | write a number",
        ],
    );
    check_faults(
        &rule("arguments = [{ at = \"/to\", one_of = [] }]"),
        &["5:37 P005 `one_of` must be a list with at least one value | \
           write a list with at least one value"],
    );
    // A rule with faults is not checked against its examples.
    check_faults(
        &rule("tools = \"pay\"\nmust_match = [{ tool = \"roll\" }]\nmode = \"text\""),
        &["7:1 P003 `mode` is not a known key here | did you mean `modes`?"],
    );
    let twice = rule("tools = \"*\"").repeat(2);
    check_faults(
        &twice,
        &["7:6 P008 there is already a rule `r` | give each rule its own id: verdicts name it"],
    );
    let broken = parse_rules("policy.toml", "[[rule]\nid = ").unwrap_err();
    assert_eq!((broken[0].code, broken[0].place.line), ("P001", 1));
}

#[test]
fn allow_has_no_key_that_loosens() {
    let text = "[[rule]]\nid = \"r\"\neffect = \"allow\"\nbecause = \"x\"\ntools = \"*\"\n\
                overrides_confirmation = true\n";
    let faults = parse_rules("policy.toml", text).unwrap_err();
    assert_eq!(faults[0].code, "P003");
}

#[test]
fn a_rule_that_fits_no_tool_is_reported() {
    let rules = parse_rules("policy.toml", &rule("tools = [\"send_mial\"]")).unwrap();
    assert_eq!(rules.idle(&["send_mail", "pay"]).count(), 1);
    assert_eq!(rules.idle(&["send_mial"]).count(), 0);
}

#[test]
fn a_pattern_works_in_bounded_time() {
    let pattern = Glob::new(&"*a".repeat(200));
    assert!(!pattern.fits(&format!("{}b", "a".repeat(5_000))));
    assert!(Glob::new("**").fits(""));
    assert!(!Glob::new("?").fits(""));
    assert!(Glob::new("гол*").fits("голова"));
    assert_eq!(Glob::new("гол*?").to_string(), "гол*?");
}

const DOCUMENT: &str = include_str!("../../../../docs/guide/rules.md");

/// The TOML blocks of a text: whether each is meant to be bad, and what is in it.
fn blocks(text: &str) -> Vec<(bool, String)> {
    let mut blocks = Vec::new();
    let mut parts = text.split("```toml");
    parts.next();
    for part in parts {
        let (mark, rest) = part.split_once('\n').unwrap();
        let (body, _) = rest.split_once("```").unwrap();
        blocks.push((mark.trim() == "bad", body.to_owned()));
    }
    blocks
}

/// The document is the page that `ghosthand faults` shows.
#[test]
fn every_example_of_the_document_has_the_faults_that_it_shows() {
    let faults = |text: &str| -> Vec<&'static str> {
        let faults = parse_rules("rules.toml", text).err().unwrap_or_default();
        faults.iter().map(|fault| fault.code).collect()
    };
    let (guide, pages) = DOCUMENT.split_once("## Faults").unwrap();
    let guide = blocks(guide);
    assert!(!guide.is_empty());
    guide.iter().for_each(|(_, text)| assert_eq!(faults(text), [""; 0], "{text}"));
    let mut codes = Vec::new();
    for page in pages.split("\n### ").skip(1) {
        let code = page.split(' ').next().unwrap();
        codes.push(code);
        let blocks = blocks(page);
        assert_eq!(blocks.len(), if code == "P002" { 0 } else { 2 }, "{code}");
        for (bad, text) in blocks {
            assert_eq!(faults(&text), if bad { vec![code] } else { vec![] }, "{code}: {text}");
        }
    }
    let source = include_str!("fault.rs");
    let known: Vec<&str> = source.split("\"P").skip(1).map(|rest| &rest[..3]).collect();
    assert_eq!(codes.iter().map(|code| &code[1..]).collect::<Vec<_>>(), known);
}

#[test]
fn forgetting_one_tool_keeps_the_answers_for_others() {
    let [pay, roll] = ["pay", "roll"].map(|tool| crate::test_fixtures::contract(tool).tool_id);
    let digest = crate::test_fixtures::digest("code");
    let answers =
        StandingAnswers::nothing(crate::test_fixtures::here()).always(pay.clone(), digest);
    let both = answers.clone().always(roll.clone(), digest);
    assert_eq!(both.forget(&roll), answers);
    let answers = StandingAnswers::nothing(crate::test_fixtures::here()).never(pay);
    assert_eq!(answers.clone().never(roll.clone()).forget(&roll), answers);
}

#[test]
fn the_rules_of_a_file_are_listed_in_its_order() {
    let text =
        format!("{}{}", rule("tools = \"a\""), rule("tools = \"b\"").replace("\"r\"", "\"s\""));
    let rules = parse_rules("policy.toml", &text).unwrap();
    let listed: Vec<&str> = rules.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(listed, ["config.r", "config.s"]);
}

#[test]
fn a_file_of_rules_has_limits() {
    let codes = |text: &str| -> Vec<&str> {
        parse_rules("policy.toml", text)
            .err()
            .into_iter()
            .flatten()
            .map(|fault| fault.code)
            .collect()
    };
    let padded = |bytes: usize| format!("#{}", "x".repeat(bytes - 1));
    assert_eq!(codes(&padded(1 << 20)), [""; 0]);
    assert_eq!(codes(&padded((1 << 20) + 1)), ["P002"]);
    let many = |rules: usize| -> String {
        (0..rules).map(|n| rule("tools = \"*\"").replace("\"r\"", &format!("\"r{n}\""))).collect()
    };
    assert_eq!(codes(&many(1_000)), [""; 0]);
    assert_eq!(codes(&many(1_001)), ["P002"]);
    assert_eq!(codes(&rule("tools = \"*\"").replace("\"no\"", "\" \"")), ["P005"]);
}
