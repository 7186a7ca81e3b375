//! What the fence lets through and what it does not.

use super::*;

fn level(missing: &str) -> Level {
    let part = |name: &str| match name == missing {
        true => Part::Unavailable("the kernel is too old".into()),
        false => Part::Enforced(name.into()),
    };
    Level {
        privileges: part("privileges"),
        user: part("another user"),
        parent_death: part("parent death"),
        limits: part("limits"),
        files: part("files"),
        calls: part("system calls"),
        signals: part("signals"),
    }
}

/// What is missing is a gap of this name, which can be accepted by it and by no other.
#[track_caller]
fn check(fence: &Fence, missing: &str, gap: Option<&str>) {
    let level = level(missing);
    let expected = gap.map(|gap| {
        format!(
            "the sandbox lacks {missing}: the kernel is too old \
             (to run all the same, add \"{gap}\" to `[sandbox] accept`)"
        )
    });
    assert_eq!(fence.gap(&level, Sandbox::Required), expected, "without {missing}");
    assert_eq!(fence.gap(&level, Sandbox::BestEffort), None);
    let accepting = |names: &[&str]| {
        Sandbox::Accepting(names.iter().map(|name| name.parse::<Gap>().unwrap()).collect())
    };
    let all = ["privileges", "root", "limits", "files", "calls", "signals", "modes"];
    let others: Vec<_> = all.into_iter().filter(|name| Some(*name) != gap).collect();
    assert_eq!(fence.gap(&level, accepting(&others)), expected, "without {missing}");
    assert_eq!(fence.gap(&level, accepting(gap.as_slice())), None);
}

#[test]
fn a_missing_part_is_a_gap_unless_the_operator_accepts_it_by_name() {
    let engine = Fence::engine(1 << 30);
    check(&engine, "", None);
    check(&engine, "privileges", Some("privileges"));
    check(&engine, "another user", Some("root"));
    check(&engine, "limits", Some("limits"));
    check(&engine, "system calls", Some("calls"));
    check(&engine, "files", None);
    check(&Fence::template(1 << 30, 0), "files", None);

    for fence in [Fence::program, Fence::interpreter] {
        let program = fence(Files::default(), 1 << 30, 0);
        check(&program, "", None);
        check(&program, "files", Some("files"));
        check(&program, "system calls", Some("calls"));
        check(&program, "signals", Some("signals"));
    }
}

#[test]
fn a_gap_that_does_not_exist_is_named() {
    let fault = "truncation".parse::<Gap>().unwrap_err().to_string();
    let expected = "`truncation` is no gap of the sandbox; the gaps are \
                    privileges, root, limits, files, calls, signals, modes";
    assert_eq!(fault, expected);
}
