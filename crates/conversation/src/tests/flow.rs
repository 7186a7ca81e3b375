//! What happens in a turn, one acceptance row at a time.

use std::sync::Arc;

use contract::{FaultKind, ModelFault, Part, Reply, StopReason};
use serde_json::json;

use super::world::{Script, World, calls, events, id, opened, says};
use crate::state::WaitsFor;
use crate::{ConversationEvent, EndReason, Entry, LiveEvent, StepState, TurnResult, view};

/// Sends a message and lets the script answer.
async fn turn(world: &World, script: &Arc<Script>) -> TurnResult {
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    conversations.say(&id(), "go").await.unwrap();
    let end = conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    conversations.flush().await;
    end
}

#[tokio::test]
async fn gd_09_all_calls_run_and_results_are_paired_by_id() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "look"), ("b", "peek"), ("c", "note")]), says("done")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Ended(EndReason::Answered));
    let asked = script.asked.lock().unwrap();
    let last = asked[1].messages.last().unwrap();
    let ids: Vec<_> = last
        .blocks
        .iter()
        .filter_map(|block| {
            let Part::Result(result) = &block.part else { return None };
            Some((result.id.0.as_str(), result.content.clone()))
        })
        .collect();
    let expected = [
        ("call-a-0123456789", json!({"did": "look"})),
        ("call-b-0123456789", json!({"did": "peek"})),
        ("call-c-0123456789", json!({"did": "note"})),
    ];
    assert_eq!(ids, expected);
    assert_eq!(world.ran("weather"), 1, "{:?}", world.done());
}

#[tokio::test]
async fn gd_04_auto_tools_run_first_and_their_results_are_in_the_message() {
    let world = World::new();
    let script = Script::new([says("fine")]);
    turn(&world, &script).await;
    let asked = script.asked.lock().unwrap();
    let text = format!("{:?}", asked[0].messages[0]);
    assert!(text.contains("<auto_tool name=\\\"weather\\\">"), "{text}");
    assert!(asked[0].tools.iter().all(|offer| offer.id.as_str() != "weather"));
}

#[tokio::test]
async fn gd_05_a_one_time_tool_is_offered_once_per_answer_and_again_in_the_next() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "once")]), says("done"), says("again")]);
    turn(&world, &script).await;
    let conversations = world.conversations();
    conversations.say(&id(), "more").await.unwrap();
    conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    let asked = script.asked.lock().unwrap();
    let offered = |n: usize| asked[n].tools.iter().any(|offer| offer.id.as_str() == "once");
    assert_eq!((offered(0), offered(1), offered(2)), (true, false, true));
}

#[tokio::test]
async fn gd_08_chunks_go_to_their_channels() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "speak")]), says("done")]);
    turn(&world, &script).await;
    let conversations = world.conversations();
    let shown = view(&conversations.get(&id()).await.unwrap());
    let text = format!("{shown:?}");
    assert!(text.contains("Hello. ") && !text.contains("secret plan"), "{text}");
    let live = format!("{:?}", world.seen.0.lock().unwrap());
    assert!(live.contains("Hel") && !live.contains("secret plan"), "{live}");
    let asked = script.asked.lock().unwrap();
    let last = asked[1].messages.last().unwrap();
    let [block] = last.blocks.as_slice() else { panic!("{last:?}") };
    let Part::Result(result) = &block.part else { panic!("{block:?}") };
    assert_eq!(result.id.0, "call-a-0123456789");
    let expected = json!({
        "result": "spoken",
        "shown_to_user_in_your_answer": "Hello. ",
        "for_you_and_not_the_user": "secret plan",
    });
    assert_eq!(result.content, expected, "none of it is in the user's message");
}

/// Requests of older versions stay the same: a conversation continues in the form it began in.
#[tokio::test]
async fn gd_08_an_older_conversation_keeps_its_requests_byte_for_byte() {
    let world = World::new();
    let conversations = world.conversations();
    let old = json!({"client": "ana", "mode": "text", "model": "script:script",
        "system": "You are brief.", "rounds_max": 4});
    conversations.open(&id(), serde_json::from_value(old.clone()).unwrap()).await.unwrap();
    let script = Script::new([calls(&[("a", "speak")]), says("done")]);
    conversations.say(&id(), "go").await.unwrap();
    conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    let asked = script.asked.lock().unwrap().remove(1);
    let sent = serde_json::to_value(asked.messages.last().unwrap()).unwrap();
    let expected = json!({"role": "user", "blocks": [
        {"type": "result", "id": "call-a-0123456789", "tool": "speak", "content": "spoken",
            "is_error": false},
        {"type": "text", "text": "[speak has shown to the user as part of your answer:]\nHello. "},
        {"type": "text", "text": "[speak tells you, and not the user:]\nsecret plan"},
    ]});
    assert_eq!(sent, expected);
    let opened = conversations.get(&id()).await.unwrap().opened.clone().unwrap();
    assert_eq!(serde_json::to_value(opened).unwrap(), old);
    let recorded = events(&conversations).await;
    let replayed =
        conversations.replay(&id(), &recorded, crate::ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
}

#[tokio::test]
async fn an_approval_pauses_the_turn_and_another_process_resumes_it() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "send"), ("b", "look")]), says("sent")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Waiting);
    assert_eq!((world.ran("send"), world.ran("look")), (0, 1));
    let elsewhere = world.conversations();
    let conversation = elsewhere.get(&id()).await.unwrap();
    let waits: Vec<_> = conversation.open_turn().unwrap().waiting.values().cloned().collect();
    let [WaitsFor::Approval { request, .. }] = waits.as_slice() else { panic!("{waits:?}") };
    let asked = view(&conversation).into_iter().any(
        |entry| matches!(entry, Entry::Step(step) if matches!(step.state, StepState::Asked { .. })),
    );
    assert!(asked);
    // Running it again changes nothing.
    let again = world.answerer(script.clone());
    assert_eq!(elsewhere.run_turn(&id(), &again).await.unwrap(), TurnResult::Waiting);
    let payload = json!({"request": request.0, "answer": "approve"}).to_string();
    elsewhere.engine().answer(&payload).await.unwrap();
    let end = elsewhere.run_turn(&id(), &again).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    assert_eq!((world.ran("send"), world.ran("look")), (1, 1));
    assert_eq!(script.asked.lock().unwrap().len(), 2);
}

/// A person's edited arguments are shown with the call everywhere, next to the model's own.
#[tokio::test]
async fn every_record_shows_the_arguments_that_a_person_edited() {
    let world = World::new();
    let mut call = calls(&[("a", "send")]);
    let Part::Call(sent) = &mut call.blocks[0].part else { panic!("a call") };
    sent.args = json!({"text": "hello all"});
    let script = Script::new([call, says("sent")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Waiting);
    let conversations = world.conversations();
    let request = conversations.engine().open_approvals().await.unwrap()[0].request.id.clone();
    let edit = json!({"request": request, "answer": "edit", "args": {"text": "hi"}});
    conversations.engine().answer(&edit.to_string()).await.unwrap();
    let end = conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    conversations.flush().await;
    assert!(world.done().contains(&r#"send {"text":"hi"}"#.to_owned()), "{:?}", world.done());

    let conversation = conversations.get(&id()).await.unwrap();
    let shown = view(&conversation);
    let step = shown.iter().find_map(|entry| match entry {
        Entry::Step(step) if step.tool == "send" => Some(step),
        Entry::User { .. }
        | Entry::Assistant { .. }
        | Entry::Thinking { .. }
        | Entry::System { .. }
        | Entry::Step(_)
        | Entry::BrokeOff { .. }
        | Entry::Ended { .. } => None,
    });
    let (args, own) = step.map(|step| (step.args.clone(), step.changed_from.clone())).unwrap();
    assert_eq!((args, own), (json!({"text": "hi"}), Some(json!({"text": "hello all"}))));

    let audit = conversations.engine().audit(10).await.unwrap();
    let line = audit.iter().rfind(|line| line.tool == "send").unwrap();
    assert_eq!((&line.args, line.edited), (&json!({"text": "string(2)"}), true));

    let text = format!("{:?}", script.asked.lock().unwrap()[1].messages.last());
    assert!(text.contains("arguments_changed_by_user"), "{text}");
    let recorded = events(&conversations).await;
    let replayed =
        conversations.replay(&id(), &recorded, crate::ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
    let story = crate::Story { title: "t".into(), events: recorded };
    assert!(story.to_markdown().contains("A person changed the arguments of `send`"));
    assert_eq!(crate::Story::parse(&story.to_markdown()).unwrap(), story);
}

#[tokio::test]
async fn another_message_declines_pending_calls() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "send")]), says("as you wish")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Waiting);
    let conversations = world.conversations();
    assert_eq!(conversations.say(&id(), "never mind").await.unwrap(), 2);
    let end = conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    assert_eq!(world.ran("send"), 0);
    assert!(conversations.engine().open_approvals().await.unwrap().is_empty());
    let asked = script.asked.lock().unwrap();
    let sent = format!("{:?}", asked[1].messages);
    assert!(sent.contains("instead of agreeing"), "{sent}");
}

#[tokio::test]
async fn a_person_can_stop_a_turn_while_a_tool_runs_and_the_next_turn_works() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "wait"), ("b", "note")]), says("fine")]);
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    conversations.say(&id(), "go").await.unwrap();
    let by = world.answerer(script.clone());
    let end = world.run_stopped_after("wait", &conversations, &by).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Cancelled));
    assert_eq!(world.ran("note"), 0);
    conversations.say(&id(), "go on").await.unwrap();
    conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    let asked = script.asked.lock().unwrap();
    let sent = format!("{:?}", asked[1].messages);
    assert!(sent.contains("stopped the answer before"), "{sent}");
    assert_eq!(sent.matches("Result(").count(), 2, "{sent}");
}

#[tokio::test]
async fn rounds_are_limited_and_the_last_request_has_no_tools() {
    let world = World::new();
    let round = |n: usize| calls(&[(["a", "b", "c", "d"][n], "look")]);
    let script = Script::new([round(0), round(1), round(2), round(3), says("enough")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Ended(EndReason::Answered));
    let asked = script.asked.lock().unwrap();
    assert_eq!(asked.len(), 5);
    assert_eq!(asked[4].choice, contract::ToolChoice::None);
    assert_eq!(asked[3].choice, contract::ToolChoice::Auto);
}

#[tokio::test]
async fn an_incomplete_call_never_runs_and_the_model_is_told() {
    let world = World::new();
    let mut torn = calls(&[("a", "note")]);
    let Part::Call(call) = torn.blocks[0].part.clone() else { panic!("a call") };
    torn.blocks[0].part =
        Part::TornCall { id: call.id, tool: call.tool, text: "{\"te".into(), why: "EOF".into() };
    let script = Script::new([torn.clone(), says("sorry")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Ended(EndReason::Answered));
    assert_eq!(world.ran("note"), 0);
    assert!(
        format!("{:?}", script.asked.lock().unwrap()[1].messages).contains("could not be read")
    );
    let world = World::new();
    torn.stop = StopReason::MaxTokens;
    let script = Script::new([torn]);
    assert_eq!(turn(&world, &script).await, TurnResult::Ended(EndReason::CutOff));
}

#[tokio::test]
async fn a_fault_of_the_model_ends_the_turn_and_the_next_one_works() {
    let world = World::new();
    let fault = ModelFault {
        kind: FaultKind::WrongKey,
        message: "the key is not accepted".into(),
        fix: "set another".into(),
        status: Some(401),
        retry_after: None,
    };
    let end = turn(&world, &Script::failing(fault.clone())).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Failed { fault }));
    let script = Script::new([says("here")]);
    let conversations = world.conversations();
    conversations.say(&id(), "again").await.unwrap();
    let end = conversations.run_turn(&id(), &world.answerer(script)).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
}

#[tokio::test]
async fn gd_02_a_failing_tool_does_not_end_the_answer() {
    let world = World::new();
    let script = Script::new([calls(&[("a", "fail")]), says("it did not work")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Ended(EndReason::Answered));
    let events = events(&world.conversations()).await;
    let failed = events.iter().any(
        |event| matches!(event, ConversationEvent::Settled { settled, .. } if settled.is_error),
    );
    assert!(failed, "{events:?}");
    let live = world.seen.0.lock().unwrap();
    assert!(
        live.iter().any(|one| matches!(one, LiveEvent::Running { tool, .. } if tool == "fail"))
    );
}

#[tokio::test]
async fn one_process_answers_at_a_time() {
    let world = World::new();
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    conversations.say(&id(), "go").await.unwrap();
    let script = Script::new([says("one")]);
    let held = conversations.lease(&id()).await.unwrap();
    let other = world.conversations().run_turn(&id(), &world.answerer(script.clone())).await;
    assert!(matches!(other, Err(crate::ConversationFault::Held)), "{other:?}");
    drop(held);
    world.after_a_while();
    let end = world.conversations().run_turn(&id(), &world.answerer(script)).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
}

#[tokio::test]
async fn an_empty_reply_is_not_an_answer() {
    let ended = |text: &str, stop: StopReason| Reply { stop, ..says(text) };
    let other = || StopReason::Other { reason: "MALFORMED_FUNCTION_CALL".into() };
    let end = turn(&World::new(), &Script::new([ended("", other())])).await;
    let TurnResult::Ended(EndReason::Failed { fault }) = end else { panic!("{end:?}") };
    assert!(fault.message.contains("MALFORMED_FUNCTION_CALL") && !fault.fix.is_empty(), "{fault}");
    let end = turn(&World::new(), &Script::new([ended("Well.", other())])).await;
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    let end =
        turn(&World::new(), &Script::new([ended("So it", StopReason::ContextExceeded)])).await;
    assert_eq!(end, TurnResult::Ended(EndReason::CutOff));
}

/// Tools and forms may leave a notice while a turn waits for a person.
#[tokio::test]
async fn a_notice_in_the_middle_of_a_turn_replays_in_its_place() {
    let world = World::new();
    let conversations = world.conversations();
    let script = Script::new([calls(&[("a", "send")]), says("done"), says("again")]);
    assert_eq!(turn(&world, &script).await, TurnResult::Waiting);
    let origin = {
        let conversation = conversations.get(&id()).await.unwrap();
        conversations.origin_of(&id(), &conversation, 1)
    };
    conversations.engine().notice(&origin, "n-1", "Meanwhile.".to_owned()).await.unwrap();
    let open = conversations.engine().open_approvals().await.unwrap();
    let yes = json!({ "request": open[0].request.id, "answer": "approve" });
    conversations.engine().answer(&yes.to_string()).await.unwrap();
    let by = world.answerer(script.clone());
    let end = conversations.run_turn(&id(), &by).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    conversations.say(&id(), "more").await.unwrap();
    conversations.run_turn(&id(), &by).await.unwrap();
    let recorded = events(&conversations).await;
    let at = recorded.iter().position(|one| matches!(one, ConversationEvent::Noticed { .. }));
    let ended = recorded.iter().position(|one| matches!(one, ConversationEvent::Ended { .. }));
    assert!(at < ended, "the notice is in the middle of the turn: {recorded:#?}");
    let replayed =
        conversations.replay(&id(), &recorded, crate::ReplayCalls::Recorded).await.unwrap();
    assert!(replayed.is_same(), "{replayed:#?}");
}
