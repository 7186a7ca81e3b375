//! A message that is sent again has versions; the chosen one is used, with what followed it.

use super::world::{Script, World, events, id, opened, says};
use crate::{Conversation, ConversationFault, Conversations, Entry, LaterTurns, view};

/// The messages in use with the versions of each.
async fn shown(conversations: &Conversations) -> Vec<(String, Vec<u64>)> {
    let conversation = conversations.get(&id()).await.unwrap();
    let events = events(conversations).await;
    assert_eq!(Conversation::read(&events), *conversation, "the log says the same");
    let messages = view(&conversation).into_iter().filter_map(|entry| match entry {
        Entry::User { text, versions, .. } => Some((text, versions)),
        Entry::Assistant { .. }
        | Entry::Thinking { .. }
        | Entry::System { .. }
        | Entry::Step(_)
        | Entry::BrokeOff { .. }
        | Entry::Ended { .. } => None,
    });
    messages.collect()
}

fn lines(wanted: &[(&str, &[u64])]) -> Vec<(String, Vec<u64>)> {
    wanted.iter().map(|(text, versions)| ((*text).to_owned(), versions.to_vec())).collect()
}

#[tokio::test]
async fn a_chosen_version_comes_back_with_what_followed_it() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let script = Script::new(["1", "2", "3", "4", "5", "6"].map(says));
    let by = world.answerer(script.clone());
    for text in ["one", "two", "three"] {
        conversations.say(&id(), text).await.unwrap();
        conversations.run_turn(&id(), &by).await.unwrap();
    }
    // Another version of the second turn, which goes on in its own way.
    assert_eq!(conversations.say_again(&id(), Some(2), Some("TWO"), None).await.unwrap(), 4);
    conversations.run_turn(&id(), &by).await.unwrap();
    conversations.say(&id(), "five").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    let second = lines(&[("one", &[]), ("TWO", &[2, 4]), ("five", &[])]);
    assert_eq!(shown(&conversations).await, second);
    conversations.choose_version(&id(), 2).await.unwrap();
    let first = lines(&[("one", &[]), ("two", &[2, 4]), ("three", &[])]);
    assert_eq!(shown(&conversations).await, first);
    // The model reads the version in use, and nothing of the other.
    assert_eq!(conversations.say(&id(), "six").await.unwrap(), 6);
    conversations.run_turn(&id(), &by).await.unwrap();
    let asked = script.asked.lock().unwrap().last().unwrap().messages.clone();
    let asked = serde_json::to_string(&asked).unwrap();
    assert!(
        asked.contains("three") && !asked.contains("TWO") && !asked.contains("five"),
        "{asked}"
    );
    conversations.choose_version(&id(), 4).await.unwrap();
    assert_eq!(shown(&conversations).await, second);
    conversations.choose_version(&id(), 2).await.unwrap();
    let longer = lines(&[("one", &[]), ("two", &[2, 4]), ("three", &[]), ("six", &[])]);
    assert_eq!(shown(&conversations).await, longer);
}

#[tokio::test]
async fn versions_are_nested_and_a_third_joins_the_others() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    let by = world.answerer(Script::new(["1", "2", "3", "4", "5"].map(says)));
    for text in ["one", "two"] {
        conversations.say(&id(), text).await.unwrap();
        conversations.run_turn(&id(), &by).await.unwrap();
    }
    for (turn, text) in [(2, "two b"), (1, "one b"), (4, "one c")] {
        conversations.say_again(&id(), Some(turn), Some(text), None).await.unwrap();
        conversations.run_turn(&id(), &by).await.unwrap();
    }
    assert_eq!(shown(&conversations).await, lines(&[("one c", &[1, 4, 5])]));
    conversations.choose_version(&id(), 1).await.unwrap();
    assert_eq!(shown(&conversations).await, lines(&[("one", &[1, 4, 5]), ("two b", &[2, 3])]));
    conversations.choose_version(&id(), 2).await.unwrap();
    assert_eq!(shown(&conversations).await, lines(&[("one", &[1, 4, 5]), ("two", &[2, 3])]));
    // A version that is deleted, and those of a turn that is not in use, cannot be chosen.
    conversations.rewind(&id(), 2, LaterTurns::Keep).await.unwrap();
    assert_eq!(shown(&conversations).await, lines(&[("one", &[1, 4, 5])]));
    for turn in [2, 3, 9] {
        let fault = conversations.choose_version(&id(), turn).await.unwrap_err();
        assert!(matches!(fault, ConversationFault::NoTurn(_)), "{fault}");
    }
    // The version in use is chosen already.
    conversations.choose_version(&id(), 1).await.unwrap();
    assert_eq!(shown(&conversations).await, lines(&[("one", &[1, 4, 5])]));
}
