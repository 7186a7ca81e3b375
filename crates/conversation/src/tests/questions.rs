//! A handler asks the person of a text conversation: the turn waits, goes on with the answers,
//! and the model gets one result.

use contract::{Action, AskKind, CallId, HandlerAnswer};
use engine::QuestionFault;
use serde_json::{Value, json};

use super::world::{Script, World, calls, events, id, opened, says, write_tool};
use crate::{
    AnsweredIn, Conversations, EndReason, Entry, ReplayCalls, StepState, TurnOptions, TurnResult,
    view,
};

/// A conversation whose model calls `survey`, which asks for a colour and a size.
struct Survey {
    world: World,
    script: std::sync::Arc<Script>,
    conversations: Conversations,
    by: TurnOptions,
}

impl Survey {
    async fn begin(tool: Value) -> Self {
        let world = World::new();
        let mut fields = json!({"asks": ["person"]});
        fields.as_object_mut().unwrap().extend(tool.as_object().unwrap().clone());
        write_tool(world.dir.path(), "survey", fields);
        let script = Script::new([calls(&[("a", "survey")]), says("noted"), says("as you like")]);
        let conversations = world.conversations();
        conversations.open(&id(), opened()).await.unwrap();
        conversations.say(&id(), "go").await.unwrap();
        let by = TurnOptions { can_ask: vec![AskKind::Person], ..world.answerer(script.clone()) };
        let survey = Self { world, script, conversations, by };
        assert_eq!(survey.run().await, TurnResult::Waiting);
        survey
    }

    async fn run(&self) -> TurnResult {
        self.conversations.run_turn(&id(), &self.by).await.unwrap()
    }

    async fn open(&self) -> Vec<String> {
        let open = self.conversations.questions(&id()).await.unwrap();
        open.into_iter().map(|one| format!("{}.{}", one.tool, one.question.name)).collect()
    }

    async fn answer(&self, name: &str, answer: HandlerAnswer) -> Result<AnsweredIn, QuestionFault> {
        let call = CallId("call-a-0123456789".into());
        self.conversations.answer_question(&id(), &call, name, answer).await
    }

    async fn shown(&self) -> Vec<StepState> {
        let conversation = self.conversations.get(&id()).await.unwrap();
        let states = view(&conversation).into_iter().filter_map(|entry| match entry {
            Entry::Step(step) if step.tool == "survey" => Some(step.state),
            _ => None,
        });
        states.collect()
    }

    /// The results that the model read for its call.
    fn results(&self) -> Vec<Value> {
        let asked = self.script.asked.lock().unwrap();
        let messages = serde_json::to_value(&asked.last().unwrap().messages).unwrap();
        let blocks = messages.as_array().unwrap().iter().flat_map(|one| one["blocks"].as_array());
        let results = blocks.flatten().filter(|block| block["type"] == "result");
        results.map(|result| result["content"].clone()).collect()
    }
}

fn accept(content: Value) -> HandlerAnswer {
    HandlerAnswer { action: Action::Accept, content }
}

#[tokio::test]
async fn a_turn_waits_for_the_answers_and_goes_on_with_them_in_any_process() {
    let survey = Survey::begin(json!({"requiresConfirmation": true})).await;
    assert_eq!(survey.open().await, ["survey.colour", "survey.size"]);
    let [StepState::Questioned { round: 1, questions }] = &survey.shown().await[..] else {
        panic!("{:?}", survey.shown().await)
    };
    assert_eq!(
        questions.iter().map(|one| &one.message).collect::<Vec<_>>(),
        ["Which colour?", "Which size?"]
    );
    let runs = survey.world.ran("survey");
    assert_eq!(survey.run().await, TurnResult::Waiting);
    assert_eq!(
        survey.answer("colour", accept(json!({"colour": "red"}))).await.unwrap(),
        AnsweredIn::Turn
    );
    assert_eq!(survey.run().await, TurnResult::Waiting);
    assert_eq!(survey.world.ran("survey"), runs, "it is not run before it has all answers");
    let unfit = survey.answer("size", accept(json!({"size": 10}))).await;
    assert!(matches!(unfit, Err(QuestionFault::Unfit { .. })), "{unfit:?}");
    let twice = survey.answer("colour", accept(json!({"colour": "blue"}))).await;
    assert!(matches!(twice, Err(QuestionFault::NotAsked)), "the first answer counts");
    // Another process goes on.
    survey.conversations.flush().await;
    let conversations = survey.world.conversations();
    let survey = Survey { conversations, ..survey };
    assert_eq!(survey.open().await, ["survey.size"]);
    survey.answer("size", accept(json!({"size": 4}))).await.unwrap();
    assert_eq!(survey.run().await, TurnResult::Waiting, "a person has to approve it, too");
    let asked = survey.conversations.engine().open_approvals().await.unwrap().remove(0);
    assert!(asked.request.preview.contains(r#"asked for size: accept {"size":4}"#));
    assert!(survey.conversations.engine().ledger().await.unwrap().is_empty(), "asking is no write");
    let yes = json!({"request": asked.request.id.0, "answer": "approve"}).to_string();
    survey.conversations.engine().answer(&yes).await.unwrap();
    assert_eq!(survey.run().await, TurnResult::Ended(EndReason::Answered));
    let expected = json!({
        "colour": {"action": "accept", "content": {"colour": "red"}},
        "size": {"action": "accept", "content": {"size": 4}},
    });
    assert_eq!(survey.results(), [expected]);
    assert_eq!(survey.open().await, Vec::<String>::new());
    let recorded = events(&survey.conversations).await;
    let replayed = survey.conversations.replay(&id(), &recorded, ReplayCalls::Recorded).await;
    assert!(replayed.as_ref().unwrap().is_same(), "{replayed:#?}");
}

#[tokio::test]
async fn a_no_is_an_answer_and_the_model_gets_one_result() {
    let survey = Survey::begin(json!({})).await;
    for name in ["colour", "size"] {
        let no = HandlerAnswer { action: Action::Decline, content: json!({"colour": "red"}) };
        survey.answer(name, no).await.unwrap();
    }
    assert_eq!(survey.run().await, TurnResult::Ended(EndReason::Answered));
    let no = json!({"action": "decline", "content": null});
    assert_eq!(survey.results(), [json!({"colour": no, "size": no})]);
}

#[tokio::test]
async fn a_turn_that_is_stopped_or_left_asks_nobody_and_runs_nothing() {
    for moves_on in [false, true] {
        let survey = Survey::begin(json!({})).await;
        match moves_on {
            true => drop(survey.conversations.say(&id(), "something else").await.unwrap()),
            false => assert!(survey.conversations.stop(&id()).await.unwrap()),
        }
        assert_eq!(survey.open().await, Vec::<String>::new());
        let late = survey.answer("size", accept(json!({"size": 4}))).await;
        assert!(matches!(late, Err(QuestionFault::NotAsked)), "{late:?}");
        let [StepState::Failed { content, .. }] = &survey.shown().await[..] else {
            panic!("{:?}", survey.shown().await)
        };
        let message = content["message"].as_str().unwrap();
        assert!(message.contains("it was not run"), "{message}");
        assert!(survey.conversations.engine().ledger().await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn questions_that_expired_are_asked_again() {
    let survey = Survey::begin(json!({})).await;
    survey.world.clock.advance(std::time::Duration::from_secs(3_601));
    assert_eq!(survey.open().await, Vec::<String>::new());
    assert_eq!(survey.run().await, TurnResult::Waiting);
    assert_eq!(survey.open().await, ["survey.colour", "survey.size"]);
}

#[tokio::test]
async fn without_a_person_the_model_is_told_what_is_asked() {
    let survey = Survey::begin(json!({})).await;
    let alone = TurnOptions { can_ask: Vec::new(), ..survey.by.clone() };
    let end = survey.conversations.run_turn(&id(), &alone).await.unwrap();
    assert_eq!(end, TurnResult::Ended(EndReason::Answered));
    let [told] = &survey.results()[..] else { panic!("{:?}", survey.results()) };
    assert!(told["message"].as_str().unwrap().contains("Ask the user"), "{told}");
}
