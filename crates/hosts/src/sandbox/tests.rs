//! Which gaps stop a child.

use super::*;

fn level(missing: &str) -> Level {
    let protection = |name: &str| match name == missing {
        true => Protection::Unavailable("the kernel is too old".into()),
        false => Protection::Enforced(name.into()),
    };
    Level {
        privileges: protection("privileges"),
        user: protection("another user"),
        parent_death: protection("parent death"),
        limits: protection("limits"),
        files: protection("files"),
        calls: protection("system calls"),
        signals: protection("signals"),
    }
}

/// A missing protection is a gap that only its own name accepts.
#[track_caller]
fn check(sandbox: &Sandbox, missing: &str, gap: Option<&str>) {
    let level = level(missing);
    let expected = gap.map(|gap| {
        format!(
            "the sandbox lacks {missing}: the kernel is too old \
             (to run anyway, add \"{gap}\" to `[sandbox] accept`)"
        )
    });
    assert_eq!(sandbox.gap(&level, SandboxPolicy::Required), expected, "without {missing}");
    assert_eq!(sandbox.gap(&level, SandboxPolicy::BestEffort), None);
    let accepting = |names: &[&str]| {
        SandboxPolicy::Accepting(names.iter().map(|name| name.parse::<Gap>().unwrap()).collect())
    };
    let all = ["privileges", "root", "limits", "files", "calls", "signals", "modes"];
    let others: Vec<_> = all.into_iter().filter(|name| Some(*name) != gap).collect();
    assert_eq!(sandbox.gap(&level, accepting(&others)), expected, "without {missing}");
    assert_eq!(sandbox.gap(&level, accepting(gap.as_slice())), None);
}

#[test]
fn a_missing_part_is_a_gap_unless_the_operator_accepts_it_by_name() {
    let engine = Sandbox::engine(1 << 30);
    check(&engine, "", None);
    check(&engine, "privileges", Some("privileges"));
    check(&engine, "another user", Some("root"));
    check(&engine, "limits", Some("limits"));
    check(&engine, "system calls", Some("calls"));
    check(&engine, "files", None);
    check(&Sandbox::template(1 << 30, 0), "files", None);

    for sandbox in [Sandbox::program, Sandbox::interpreter] {
        let program = sandbox(Files::default(), 1 << 30, 0);
        check(&program, "", None);
        check(&program, "files", Some("files"));
        check(&program, "system calls", Some("calls"));
        check(&program, "signals", Some("signals"));
    }
}

#[test]
fn a_gap_that_does_not_exist_is_named() {
    let fault = "truncation".parse::<Gap>().unwrap_err().to_string();
    let expected = "`truncation` is not a gap of the sandbox; the gaps are \
                    privileges, root, limits, files, calls, signals, modes";
    assert_eq!(fault, expected);
}
