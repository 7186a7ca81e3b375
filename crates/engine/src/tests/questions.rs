//! How long a request waits, why one does not, and how a person names it.

use std::sync::Arc;
use std::time::Duration;

use contract::{Call, CallId};
use policy::{ConversationId, VerdictKind, parse_rules};
use serde_json::json;
use services::NoSecrets;

use super::{Counter, SCHEMA, World, call, origin};
use crate::{ApprovalFault, ApprovalRecord, CallOrigin, Engine, Waiting, Wiring};

async fn ask(engine: &Engine, origin: &CallOrigin, call: &Call) -> ApprovalRecord {
    match engine.settle(origin, call).await.waiting {
        Some(Waiting::Approval(asked)) => *asked,
        _ => panic!("nobody was asked"),
    }
}

fn another(id: &str) -> Call {
    Call { id: CallId(id.into()), args: json!({"text": id}), ..call() }
}

fn elsewhere() -> CallOrigin {
    CallOrigin { conversation: ConversationId("elsewhere".into()), ..origin() }
}

/// `waits`, or why it does not.
async fn state(engine: &Engine, asked: &ApprovalRecord) -> String {
    match engine.open_approval(&asked.request.id.0).await {
        Ok(_) => "waits".to_owned(),
        Err(why) => why.to_string(),
    }
}

fn yes(asked: &ApprovalRecord) -> String {
    json!({"request": asked.request.id, "answer": "approve"}).to_string()
}

#[tokio::test]
async fn a_request_waits_until_it_expires() {
    let world = World::new();
    let engine = world.working();
    let asked = ask(&engine, &origin(), &call()).await;
    let life = Duration::from_millis(asked.request.expires_at.ms_since(asked.request.asked_at));
    world.clock.advance(life - Duration::from_millis(1));
    assert_eq!(state(&engine, &asked).await, "waits");
    world.clock.advance(Duration::from_millis(1));
    let over = "the request about `line_add` expired 0 s ago; nothing has run";
    assert_eq!(state(&engine, &asked).await, over);
    assert!(matches!(engine.answer(&yes(&asked)).await, Err(ApprovalFault::Expired { .. })));
}

#[tokio::test]
async fn a_request_is_answered_once() {
    let world = World::new();
    let engine = world.working();
    let asked = ask(&engine, &origin(), &call()).await;
    engine.answer(&yes(&asked)).await.unwrap();
    assert_eq!(state(&engine, &asked).await, "the request was answered before");
    assert!(matches!(engine.answer(&yes(&asked)).await, Err(ApprovalFault::AlreadyAnswered)));
    assert!(engine.open_approvals().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_time_left_is_in_whole_minutes_until_the_last_two() {
    let world = World::new();
    let engine = world.working();
    let mut asked = ask(&engine, &origin(), &call()).await;
    let now = asked.request.asked_at;
    for (left_ms, expected) in [
        (300_000, "5 min"),
        (240_001, "5 min"),
        (120_001, "3 min"),
        (120_000, "2 min"),
        (119_000, "119 s"),
        (1_000, "1 s"),
    ] {
        asked.request.expires_at = policy::Timestamp(now.0 + left_ms);
        assert_eq!(engine.time_to_answer(&asked), expected);
    }
}

#[tokio::test]
async fn a_new_message_withdraws_only_the_requests_of_its_conversation() {
    let world = World::new();
    let engine = world.working();
    let asked = [
        ask(&engine, &origin(), &call()).await,
        ask(&engine, &origin(), &another("call-0000000001")).await,
        ask(&engine, &elsewhere(), &another("call-0000000002")).await,
    ];
    assert_eq!(engine.withdraw_approvals(&origin()).await.unwrap(), 2);
    let withdrawn = "the request about `line_add` was withdrawn by another message";
    assert_eq!(state(&engine, &asked[0]).await, withdrawn);
    assert_eq!(state(&engine, &asked[1]).await, withdrawn);
    assert_eq!(state(&engine, &asked[2]).await, "waits");
    assert_eq!(engine.withdraw_approvals(&origin()).await.unwrap(), 0);
    engine.delete_approvals(&origin().conversation).await.unwrap();
    assert!(state(&engine, &asked[0]).await.starts_with("there is no request"));
    assert_eq!(state(&engine, &asked[2]).await, "waits");
    assert!(engine.question_about(&origin(), &call()).await.unwrap().is_none());
    let other = engine.question_about(&elsewhere(), &another("call-0000000002")).await.unwrap();
    assert_eq!(other.map(|(asked, _)| asked).as_ref(), Some(&asked[2]));
}

#[tokio::test]
async fn a_request_is_named_by_a_prefix_of_its_id() {
    let world = World::new();
    let engine = world.working();
    let asked = ask(&engine, &origin(), &call()).await;
    let whole = asked.request.id.0.as_str();
    let bare = whole.trim_start_matches("ask:");
    for start in [whole, bare, &whole[..8], &bare[..4]] {
        assert_eq!(engine.find_approval(start).await.unwrap(), asked, "{start}");
    }
    let unknown = engine.find_approval("zz").await.unwrap_err().to_string();
    assert_eq!(unknown, "there is no request `zz`");
    ask(&engine, &origin(), &another("call-0000000001")).await;
    let two = engine.find_approval("ask:").await.unwrap_err().to_string();
    assert_eq!(two, "more than one request begins with `ask:`");
    engine.answer(&yes(&asked)).await.unwrap();
    let answered = engine.find_approval(whole).await.unwrap_err();
    assert!(matches!(answered, ApprovalFault::AlreadyAnswered), "{answered}");
}

#[tokio::test]
async fn an_approval_is_used_once() {
    let world = World::new();
    let engine = world.working();
    ask(&engine, &origin(), &call()).await;
    let (asked, revision) = engine.question_about(&origin(), &call()).await.unwrap().unwrap();
    engine.use_up(&asked, revision).await.unwrap();
    assert_eq!(state(&engine, &asked).await, "the request was answered before");
    assert!(engine.use_up(&asked, revision).await.is_err());
}

/// Answers that a process accepted and did not use; the next process looks for them.
#[tokio::test]
async fn an_answer_is_unused_until_its_call_runs() {
    let world = World::new();
    let engine = world.working();
    let unused = async || -> Vec<_> {
        engine.answered_approvals().await.unwrap().into_iter().map(|asked| asked.call.id).collect()
    };
    let asked = ask(&engine, &origin(), &call()).await;
    ask(&engine, &origin(), &another("call-0000000001")).await;
    assert!(unused().await.is_empty());
    engine.answer(&yes(&asked)).await.unwrap();
    assert_eq!(unused().await, [call().id]);
    let (answered, revision) = engine.question_about(&origin(), &call()).await.unwrap().unwrap();
    engine.use_up(&answered, revision).await.unwrap();
    assert!(unused().await.is_empty());
}

/// A rule asks, and does not exist any more when the answer comes.
async fn answered_late(world: &World, answer: serde_json::Value) -> crate::Settled {
    let schema =
        SCHEMA.replace(r#""requiresConfirmation": true"#, r#""requiresConfirmation": false"#);
    std::fs::write(world.dir.path().join("line-add/schema.json"), schema).unwrap();
    let rule = "[[rule]]\nid = \"lines\"\neffect = \"ask\"\nbecause = \"lines stay\"\n\
                tools = \"line_add\"\n";
    let host = Arc::new(Counter(Arc::clone(&world.ran)));
    let wiring = world.wiring(world.store.clone(), host, Arc::new(NoSecrets));
    let rules = parse_rules("rules.toml", rule).unwrap();
    let strict = Engine::new(Wiring { rules, ..wiring });
    let asked = ask(&strict, &origin(), &call()).await;
    let mut payload = answer;
    payload["request"] = json!(asked.request.id);
    strict.answer(&payload.to_string()).await.unwrap();
    world.working().settle(&origin(), &call()).await
}

#[tokio::test]
async fn an_answer_counts_even_if_no_rule_asks_any_more() {
    let world = World::new();
    let declined = answered_late(&world, json!({"answer": "decline"})).await;
    assert_eq!(declined.reason.rule, policy::RuleId::DECLINED);
    assert_eq!((declined.verdict, world.ran()), (VerdictKind::Refuse, 0));

    let world = World::new();
    let edited = answered_late(&world, json!({"answer": "edit", "args": {"text": "other"}})).await;
    assert_eq!((edited.verdict, world.ran()), (VerdictKind::Run, 1));
    assert_eq!(edited.edited, Some(json!({"text": "other"})));

    let world = World::new();
    let approved = answered_late(&world, json!({"answer": "approve"})).await;
    assert_eq!((approved.verdict, world.ran()), (VerdictKind::Run, 1));
    let again = world.working().question_about(&origin(), &call()).await.unwrap().unwrap().0;
    assert_eq!(again.request.status, policy::ApprovalStatus::Used, "the approval is used");
}
