//! The words of verdicts.

use serde_json::json;

use crate::test_fixtures::World;
use crate::{Approver, LedgerEvent, Timestamp, VerdictKind};

#[test]
fn every_verdict_has_its_word() {
    let check = |change: fn(&mut World), expected: &str| {
        let mut world = World::new("pay", json!({"to": "ana"})).with(change);
        let kind = world.judge().verdict.kind();
        assert_eq!((kind.as_str(), json!(kind)), (expected, expected.into()));
        assert_eq!(VerdictKind::of_word(expected), Some(kind));
    };
    check(|world| world.contract.requires_confirmation = false, "run");
    check(|_| {}, "ask");
    check(|world| world.approver = Approver::Absent, "refuse");
    check(
        |world| {
            world.ledger =
                vec![world.entry(vec![LedgerEvent::Start, LedgerEvent::End(Ok(json!(1)))])];
            world.now = Timestamp(world.now).plus_ms(1).0;
        },
        "reuse",
    );
    assert_eq!(VerdictKind::of_word("decline"), None);
}
