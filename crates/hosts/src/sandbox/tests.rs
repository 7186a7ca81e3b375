//! What the fence lets through and what it does not.

use super::*;

fn level(missing: &str) -> Level {
    let part = |name: &str| match name == missing {
        true => Part::Unavailable("the kernel is too old".into()),
        false => Part::Enforced(name.into()),
    };
    Level {
        privileges: part("privileges"),
        parent_death: part("parent death"),
        limits: part("limits"),
        files: part("files"),
        calls: part("system calls"),
    }
}

#[track_caller]
fn check(fence: &Fence, missing: &str, expected: Option<&str>) {
    let gap = fence.gap(&level(missing), Sandbox::Required);
    assert_eq!(gap.as_deref(), expected, "without {missing}");
    assert_eq!(fence.gap(&level(missing), Sandbox::BestEffort), None);
}

#[test]
fn a_missing_part_is_a_gap_unless_the_operator_says_otherwise() {
    let engine = Fence::engine(1 << 30);
    check(&engine, "", None);
    check(&engine, "privileges", Some("the sandbox lacks privileges: the kernel is too old"));
    check(&engine, "limits", Some("the sandbox lacks limits: the kernel is too old"));
    check(&engine, "system calls", Some("the sandbox lacks system calls: the kernel is too old"));
    check(&engine, "files", None);

    for fence in [Fence::program, Fence::interpreter] {
        let program = fence(Files::default(), 1 << 30, 0);
        check(&program, "", None);
        check(&program, "files", Some("the sandbox lacks files: the kernel is too old"));
        let calls = Some("the sandbox lacks system calls: the kernel is too old");
        check(&program, "system calls", calls);
    }
}
