//! A recording answers what was recorded, and nothing else.

use contract::{Choice, FaultKind, Message, Stop, Usage};

use super::*;

fn facts() -> ModelFacts {
    ModelFacts {
        provider: "anthropic".to_owned(),
        model: "claude-opus-5-5".to_owned(),
        wire: None,
        rungs: vec![],
        output_tokens_max: None,
    }
}

fn asked(text: &str) -> Request {
    Request { messages: vec![Message::user(vec![Block::text(text)])], ..Request::default() }
}

fn says(text: &str) -> Reply {
    Reply {
        blocks: vec![Block::text(text)],
        stop: Stop::EndTurn,
        usage: Usage::default(),
        model: "claude-opus-5-5".to_owned(),
        shaped: None,
    }
}

fn recording() -> Replay {
    let recorded = |question, answer| Recorded {
        request: RequestDigest::of(&asked(question)),
        answer: RecordedAnswer::Reply(says(answer)),
    };
    Replay::new(facts(), vec![recorded("one?", "One."), recorded("two?", "Two.")])
}

async fn answer(model: &Replay, request: &Request) -> Result<String, String> {
    let mut heard = String::new();
    let mut listen = |delta| {
        if let Delta::Text(text) = delta {
            heard.push_str(&text);
        }
    };
    let reply = model.ask(request, &mut listen).await.map_err(|fault| fault.message)?;
    assert_eq!(reply.text(), heard);
    Ok(heard)
}

#[tokio::test]
async fn the_recorded_answers_come_in_order() {
    let model = recording();
    assert_eq!(answer(&model, &asked("one?")).await, Ok("One.".to_owned()));
    assert_eq!(model.left(), 1);
    assert_eq!(answer(&model, &asked("two?")).await, Ok("Two.".to_owned()));
    let more = answer(&model, &asked("three?")).await.unwrap_err();
    assert_eq!(more, "the recording has 2 replies, and one more was asked for");
}

#[tokio::test]
async fn another_request_is_a_fault_that_names_the_part_and_spends_nothing() {
    let model = recording();
    let check = async |request: Request, expected: &str| {
        let said = answer(&model, &request).await.unwrap_err();
        assert_eq!(said, format!("request 1 is not the recorded one: {expected}"));
    };
    check(asked("two?"), "its messages differ").await;
    check(Request { system: "s".to_owned(), ..asked("one?") }, "its system text differs").await;
    check(Request { choice: Choice::None, ..asked("one?") }, "its settings differ").await;
    assert_eq!(model.left(), 2);
}

#[tokio::test]
async fn a_recorded_fault_is_given_again() {
    let fault = fault::truncated("cut");
    let request = asked("one?");
    let recorded = Recorded {
        request: RequestDigest::of(&request),
        answer: RecordedAnswer::Fault(fault.clone()),
    };
    let text = serde_json::to_string(&recorded).unwrap();
    let recorded = serde_json::from_str(&text).unwrap();
    let model = Replay::new(facts(), vec![recorded]);
    let given = model.ask(&request, &mut |_| {}).await.unwrap_err();
    assert_eq!((given.kind, given), (FaultKind::Truncated, fault));
}
