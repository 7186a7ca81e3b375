//! Questions of handlers over the API; a running voice session is in the tests of the page.

use std::sync::Arc;

use serde_json::json;
use testkit::script::ScriptedModel;

use crate::support::test_server::{World, begin};

#[tokio::test(flavor = "multi_thread")]
async fn questions_belong_to_their_owner_and_what_nobody_asked_cannot_be_answered() {
    let mut world = World::new();
    let (ana, ben) = world.add_owners();
    let served = world.serve(&Arc::new(ScriptedModel::new([]))).await;
    let (ana, ben) = (served.of(ana), served.of(ben));
    let path = begin(&ana).await;
    let list = format!("{path}/questions");
    assert_eq!(ana.get(&list).await.json(), json!([]));
    assert_eq!(ben.get(&list).await.status, 404);
    let answer = json!({ "name": "meal", "action": "accept", "content": {} });
    let call = format!("{list}/call-1");
    let refused = ana.send("POST", &call, answer.clone()).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("this question is not open"), "{}", refused.text);
    assert_eq!(ben.send("POST", &call, answer).await.status, 404);
    let odd = json!({ "name": "meal", "action": "perhaps" });
    assert_eq!(ana.send("POST", &call, odd).await.status, 400);
}
