//! A plain yes or no of a person answers the one question of the turn that is open.

use contract::Mode;
use policy::{ConversationId, PlainAnswer};
use serde_json::json;

use super::world::{Script, World, calls, id, opened, says, write_tool};
use crate::Plain;
use crate::engine::Engine;
use crate::talk::Opened;

/// A conversation whose open turn asks about these calls.
async fn asking(
    world: &World,
    engine: &Engine,
    id: &ConversationId,
    opened: Opened,
    wanted: &[(&str, &str)],
) {
    engine.open_talk(id, opened).await.unwrap();
    engine.say(id, "please").await.unwrap();
    let by = world.answerer(Script::new([calls(wanted), says("done")]));
    engine.turn(id, &by).await.unwrap();
}

fn shown(plain: &Plain) -> String {
    match plain {
        Plain::Message { open } => format!("a message, {} open", open.len()),
        Plain::Answered { asked, answer, turn } => {
            format!("{answer:?} to {} in turn {turn}", asked.call.id)
        }
        Plain::WhichOne(open) => format!("one of {}", open.len()),
    }
}

#[tokio::test]
async fn tk_12_a_yes_answers_the_question_of_its_own_conversation() {
    let world = World::new();
    let engine = world.engine();
    let other = ConversationId("other".into());
    // Some providers count their calls anew in every conversation.
    asking(&world, &engine, &other, opened(), &[("e", "send")]).await;
    asking(&world, &engine, &id(), opened(), &[("e", "send")]).await;
    let said = async |text: &str| shown(&engine.answer_plainly(&id(), text).await.unwrap());
    assert_eq!(said("which one?").await, "a message, 1 open");
    assert_eq!(said("yes").await, "Yes to call-e-0123456789 in turn 1");
    assert_eq!(said("yes").await, "a message, 0 open");
    let left = engine.answer_plainly(&other, "no").await.unwrap();
    assert!(matches!(&left, Plain::Answered { answer: PlainAnswer::No, .. }), "{left:?}");
    let new = ConversationId("new".into());
    engine.open_talk(&new, opened()).await.unwrap();
    let nothing = engine.answer_plainly(&new, "yes").await.unwrap();
    assert_eq!(shown(&nothing), "a message, 0 open");
}

#[tokio::test]
async fn tk_12_of_two_questions_a_yes_answers_none_and_a_voice_answers_none() {
    let world = World::new();
    let spoken = json!({"requiresConfirmation": true, "allowedModes": ["text", "voice"]});
    write_tool(world.dir.path(), "send", spoken);
    let engine = world.engine();
    asking(&world, &engine, &id(), opened(), &[("e", "send"), ("f", "send")]).await;
    assert_eq!(shown(&engine.answer_plainly(&id(), "yes").await.unwrap()), "one of 2");
    assert_eq!(shown(&engine.answer_plainly(&id(), "why").await.unwrap()), "a message, 2 open");
    let spoken = ConversationId("spoken".into());
    let opened = Opened { mode: Mode::Voice, ..opened() };
    asking(&world, &engine, &spoken, opened, &[("g", "send")]).await;
    let heard = engine.answer_plainly(&spoken, "yes").await.unwrap();
    assert_eq!(shown(&heard), "a message, 1 open");
}
