//! Scripts that can be read, and what is said about those that cannot.

use super::*;

#[test]
fn a_script_is_read_line_by_line() {
    let script = parse(
        "# a comment\n\
         road realtime\n\
         language uk en\n\
         tool kb_search retrieval budget 2s after 300ms returns {\"n\": 1}\n\
         \n\
         at 0s user says \"what \\\"time\\\" is it\" for 1.2s\n\
         at 2.5s provider says \"Three.\" then calls kb_search {\"q\": [1]} as c1 and x \"{bad\" as c2\n\
         expect at 800ms paused\n\
         expect never resumed\n\
         expect 2 times tone\n",
    )
    .unwrap();
    assert_eq!((script.model.as_str(), script.languages.len()), ("realtime", 2));
    let Action::UserSpeech { ms: 1_200, text: Some(text) } = &script.actions[0].action else {
        panic!("{:?}", script.actions)
    };
    assert_eq!(text, "what \"time\" is it");
    let Action::Provider(ProviderAction::Says { calls, .. }) = &script.actions[1].action else {
        panic!("{:?}", script.actions)
    };
    assert_eq!((calls.len(), calls[1].arguments.as_str()), (2, "{bad"));
    let kinds: Vec<_> = script.expectations.iter().map(|one| one.kind).collect();
    let at = ExpectationKind::LineAt { ms: 800 };
    assert_eq!(kinds, [at, ExpectationKind::Never, ExpectationKind::Times(2)]);
    assert_eq!(script.tools[0].contract.latency_budget_ms, 2_000);
}

#[test]
fn a_fault_names_its_line_and_what_would_be_right() {
    let cases = [
        (
            "\nat soon user speaks",
            "line 2: `soon` is not a duration; write `800ms`, `1.2s` or `2min`",
        ),
        ("at 1s user dances", "and does not `dances`"),
        ("at 1s user says hello", "expected a text in double quotes before `hello`"),
        ("at 1s user says \"hello", "the text has no closing quote"),
        ("at 1s user speaks loudly", "`loudly` is left over"),
        ("at 1s provider calls x {1} as c", "invalid JSON"),
        ("at 1s provider calls x {}", "expected `as` before ``"),
        ("wait 1s", "`wait` is none of `at`, `expect`"),
        ("tool x flies", "a tool cannot be `flies`"),
        ("language xx", "`xx` has no word list"),
        ("expect", "say which text is expected"),
        ("at", "the line ends too early"),
    ];
    for (text, expected) in cases {
        let fault = parse(text).unwrap_err().to_string();
        assert!(fault.contains(expected), "{text}: {fault}");
    }
}
