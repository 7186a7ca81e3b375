//! Unique ids are kept; others are replaced.

use contract::{Block, Call};
use serde_json::json;

use super::*;

#[test]
fn a_unique_id_is_kept_and_others_are_replaced() {
    let call = Call { id: CallId("call_0".to_owned()), tool: "t".to_owned(), args: json!({}) };
    let earlier = Message::assistant(vec![Block::from(Part::Call(call))]);
    let mut ids = CallIds::of(&[Message::user(vec![]), earlier]);
    let mut claimed = |server_id: &str| ids.claim(server_id).0;
    assert_eq!(claimed("call_a"), "call_a");
    assert_eq!(claimed("call_0"), "c2_1", "used earlier in the conversation");
    assert_eq!(claimed(""), "c2_2");
    assert_eq!(claimed("call_a"), "c2_3", "used in this answer");
    assert_eq!(claimed("c2_4"), "c2_4");
    assert_eq!(claimed(""), "c2_5", "the server used one of our ids");
}
