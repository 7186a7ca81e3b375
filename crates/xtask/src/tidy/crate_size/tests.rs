//! When a crate is too large.

use super::fault;

#[test]
fn one_line_too_many_is_reported() {
    assert_eq!(fault("crates/a/src", 4_000, 4_000), None);
    assert!(fault("crates/a/src", 4_001, 4_000).is_some_and(|fault| fault.contains("4001 lines")));
}
