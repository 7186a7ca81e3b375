//! Hostile requests against a served process, by area: every attempt has the refusal that it must
//! get, and in the end everything of the one who was attacked is as it was.

mod approvals;
mod http;
pub(crate) mod raw_request;
mod table;
mod target;

use table::Table;
use target::Target;

#[test]
fn nothing_hostile_gets_through_the_door() {
    let target = Target::open();
    let before = target.everything();
    let mut table = Table::default();
    http::tokens(&target, &mut table);
    http::other_owner(&target, &mut table);
    http::places(&target, &mut table);
    http::kinds(&target, &mut table);
    http::paths(&target, &mut table);
    http::sizes(&target, &mut table);
    http::sessions(&target, &mut table);
    table.show("server");
    assert!(table.attempts() >= 500, "{} attempts", table.attempts());
    table.assert_closed();
    assert_eq!(target.everything(), before, "what is Ana's has changed");
    assert_eq!(target.ledger(), 0);
}

#[test]
fn nobody_agrees_for_another_nor_twice_nor_to_something_else() {
    let mut table = Table::default();
    let target = Target::open();
    approvals::by_others(&target, &mut table);
    approvals::malformed(&target, &mut table);
    approvals::by_elicitation(&target, &mut table);
    assert_eq!(target.ledger(), 0, "nothing has run so far");
    approvals::changed_calls(&target, &mut table);
    approvals::twice_and_replayed(&target, &mut table);
    approvals::changed_code(&target, &mut table);
    approvals::expired(&mut table);
    table.show("approvals");
    assert!(table.attempts() >= 80, "{} attempts", table.attempts());
    table.assert_closed();
}
