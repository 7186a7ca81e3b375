//! What older kernels cannot enforce is covered by another protection, or is a named gap.

use std::process::Command;

use hosts::doctor;
use hosts::sandbox::doctor::Kind;
use hosts::sandbox::{Accepted, Gap, LANDLOCK_NEWEST, Protection, SandboxPolicy, pretend_landlock};
use hosts::spawn::pretend_no_namespaces;

use crate::harness::{program, runtime};

const AS: &str = "GHOSTHAND_TEST_OLD";

#[test]
fn what_landlock_cannot_enforce_is_enforced_otherwise_or_a_named_gap() {
    check("old_kernels::what_landlock_cannot_enforce_is_enforced_otherwise_or_a_named_gap", false);
}

#[test]
fn the_same_without_namespaces() {
    check("old_kernels::the_same_without_namespaces", true);
}

/// Every version from the newest down, each in a separate process.
fn check(test: &str, is_bare: bool) {
    if std::env::var_os(AS).is_none() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let ended = command.args(["--exact", test]).env(AS, "1").output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        return;
    }
    if is_bare {
        pretend_no_namespaces();
    }
    for version in (0..=LANDLOCK_NEWEST).rev() {
        pretend_landlock(version);
        for kind in [Kind::Engine, Kind::Program, Kind::Networked] {
            let report = runtime().block_on(doctor(program(), kind)).unwrap();
            let has_namespace = report.level.parent_death
                == Protection::Enforced(
                    "killed with its supervisor, like everything it starts".into(),
                );
            assert!(!(is_bare && has_namespace));
            let expected = match (kind, version) {
                // It opens no files and sends no signals, on any kernel.
                (Kind::Engine, _) => None,
                (_, 0) => Some(Gap::Files),
                (_, ..6) if !has_namespace => Some(Gap::Signals),
                _ => None,
            };
            let gap = report.gap(SandboxPolicy::Required);
            let named = |gap: Gap| format!("the sandbox lacks {}: ", gap.what());
            match (&gap, expected) {
                (None, None) => {}
                (Some(words), Some(expected)) if words.starts_with(&named(expected)) => {}
                _ => panic!("{kind:?}, Landlock {version}: {gap:?}, not {expected:?}"),
            }
            // Only what the gap names is open.
            let may = match expected {
                Some(Gap::Files) => &["read a file", "list a directory", "write a file"][..],
                Some(Gap::Signals) => &["signal its parent"],
                _ => &[],
            };
            let open = report.open.iter().filter(|open| !may.contains(&open.as_str()));
            let open: Vec<_> =
                open.filter(|open| *open != "signal its parent" || version > 0).collect();
            assert!(open.is_empty(), "{kind:?}, Landlock {version}: {open:?}");
            let accepting =
                |gaps: &[Gap]| SandboxPolicy::Accepting(gaps.iter().copied().collect::<Accepted>());
            assert_eq!(report.gap(accepting(&[Gap::Files, Gap::Signals])), None);
        }
    }
}
