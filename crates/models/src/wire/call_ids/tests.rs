//! Ids are kept where they tell calls apart, and made where they do not.

use contract::{Block, Call};
use serde_json::json;

use super::*;

#[test]
fn a_good_id_stays_and_others_are_made() {
    let call = Call { id: CallId("call_0".to_owned()), tool: "t".to_owned(), args: json!({}) };
    let said = Message::assistant(vec![Block::from(Part::Call(call))]);
    let mut ids = CallIds::of(&[Message::user(vec![]), said]);
    let mut claimed = |given: &str| ids.claim(given).0;
    assert_eq!(claimed("call_a"), "call_a");
    assert_eq!(claimed("call_0"), "c2_1", "used earlier in the conversation");
    assert_eq!(claimed(""), "c2_2");
    assert_eq!(claimed("call_a"), "c2_3", "used in this answer");
    assert_eq!(claimed("c2_4"), "c2_4");
    assert_eq!(claimed(""), "c2_5", "the server took a name of ours");
}
