//! Each request extends the one before: tools, system and earlier messages stay as they were.

use super::world::{Script, World, calls, id, opened, says};

#[tokio::test]
async fn forty_turns_only_ever_append() {
    let world = World::new();
    let mut replies = Vec::new();
    for turn in 0..40 {
        match turn % 3 {
            0 => {
                let name = format!("t{turn}");
                replies.push(calls(&[(&name, "speak"), (&format!("{name}b"), "look")]));
                replies.push(says("after tools"));
            }
            1 => replies.push(says("plainly")),
            _ => {
                replies.push(calls(&[(&format!("w{turn}"), "note")]));
                replies.push(says("noted"));
            }
        }
    }
    let script = Script::new(replies);
    for turn in 0..40 {
        // A new process for each turn: the prompt comes from the log alone.
        let conversations = world.conversations();
        conversations.open(&id(), opened()).await.unwrap();
        conversations.say(&id(), &format!("turn {turn}")).await.unwrap();
        conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
        conversations.flush().await;
    }
    let asked = script.asked.lock().unwrap();
    assert!(asked.len() > 60);
    for pair in asked.windows(2) {
        let [before, after] = pair else { continue };
        assert_eq!(before.tools, after.tools);
        assert_eq!(before.system, after.system);
        let bytes = |messages: &[contract::Message]| serde_json::to_string(messages).unwrap();
        let (before, after) = (bytes(&before.messages), bytes(&after.messages));
        let open = before.trim_end_matches(']');
        assert!(after.starts_with(open), "{open}\n\n{after}");
    }
}
