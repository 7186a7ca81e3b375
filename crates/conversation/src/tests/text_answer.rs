//! A person's plain yes or no answers the only question of the open turn.

use contract::Mode;
use policy::{ConversationId, PlainAnswer};
use serde_json::json;

use super::world::{Script, World, calls, id, opened, says, write_tool};
use crate::Conversations;
use crate::Opened;
use crate::TextAnswer;

/// A conversation whose open turn waits for approval of these calls.
async fn asking(
    world: &World,
    conversations: &Conversations,
    id: &ConversationId,
    opened: Opened,
    wanted: &[(&str, &str)],
) {
    conversations.open(id, opened).await.unwrap();
    conversations.say(id, "please").await.unwrap();
    let by = world.answerer(Script::new([calls(wanted), says("done")]));
    conversations.run_turn(id, &by).await.unwrap();
}

fn shown(plain: &TextAnswer) -> String {
    match plain {
        TextAnswer::Message { open } => format!("a message, {} open", open.len()),
        TextAnswer::Answered { asked, answer, turn } => {
            format!("{answer:?} to {} in turn {turn}", asked.call.id)
        }
        TextAnswer::WhichOne(open) => format!("one of {}", open.len()),
    }
}

#[tokio::test]
async fn tk_12_a_yes_answers_the_question_of_its_own_conversation() {
    let world = World::new();
    let conversations = world.conversations();
    let other = ConversationId("other".into());
    // Some providers start numbering their calls again in every conversation.
    asking(&world, &conversations, &other, opened(), &[("e", "send")]).await;
    asking(&world, &conversations, &id(), opened(), &[("e", "send")]).await;
    let answer =
        async |text: &str| shown(&conversations.answer_in_text(&id(), text).await.unwrap());
    assert_eq!(answer("which one?").await, "a message, 1 open");
    assert_eq!(answer("yes").await, "Yes to call-e-0123456789 in turn 1");
    assert_eq!(answer("yes").await, "a message, 0 open");
    let left = conversations.answer_in_text(&other, "no").await.unwrap();
    assert!(matches!(&left, TextAnswer::Answered { answer: PlainAnswer::No, .. }), "{left:?}");
    let new = ConversationId("new".into());
    conversations.open(&new, opened()).await.unwrap();
    let nothing = conversations.answer_in_text(&new, "yes").await.unwrap();
    assert_eq!(shown(&nothing), "a message, 0 open");
}

#[tokio::test]
async fn tk_12_a_yes_to_two_questions_or_by_voice_answers_none() {
    let world = World::new();
    let spoken = json!({"requiresConfirmation": true, "allowedModes": ["text", "voice"]});
    write_tool(world.dir.path(), "send", spoken);
    let conversations = world.conversations();
    asking(&world, &conversations, &id(), opened(), &[("e", "send"), ("f", "send")]).await;
    assert_eq!(shown(&conversations.answer_in_text(&id(), "yes").await.unwrap()), "one of 2");
    assert_eq!(
        shown(&conversations.answer_in_text(&id(), "why").await.unwrap()),
        "a message, 2 open"
    );
    let spoken = ConversationId("spoken".into());
    let opened = Opened { mode: Mode::Voice, ..opened() };
    asking(&world, &conversations, &spoken, opened, &[("g", "send")]).await;
    let live = conversations.answer_in_text(&spoken, "yes").await.unwrap();
    assert_eq!(shown(&live), "a message, 1 open");
}
