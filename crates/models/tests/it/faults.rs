//! Error responses and the faults that they become.

use contract::{FaultKind, Model, ModelFault, Wire};
use models::{Client, Key, Limits, Provider, Secret};

use crate::conversation::{model, provider, with_results};
use crate::server::{Server, answer, json, line};

async fn fault_at(provider: Provider, model: &str) -> ModelFault {
    let (line, _) = line(Limits { retries_max: 0, ..Limits::usual() });
    let client = Client::over(line, provider, model).unwrap();
    client.ask(&with_results(), &mut |_| {}).await.unwrap_err()
}

async fn fault(wire: Wire, status: &str, body: &str) -> ModelFault {
    let server = Server::new(vec![json(status, "", body)]).await;
    fault_at(Provider { base_url: server.address.clone(), ..provider(wire) }, model(wire)).await
}

#[track_caller]
fn check(fault: &ModelFault, kind: FaultKind, message: &str, fix: &str) {
    assert_eq!(fault.kind, kind, "{fault}");
    assert_eq!((fault.message.as_str(), fault.fix.as_str()), (message, fix));
}

#[tokio::test]
async fn a_wrong_key_names_its_variable() {
    let body = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid key sk-test-key"}}"#;
    check(
        &fault(Wire::Anthropic, "401 Unauthorized", body).await,
        FaultKind::WrongKey,
        "anthropic does not accept the key for `claude-haiku-5-5` (401: invalid key [secret])",
        "set ANTHROPIC_API_KEY to a key that may use this model",
    );
    let body = r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    let fault = fault(Wire::Gemini, "400 Bad Request", body).await;
    assert_eq!((fault.kind, fault.status), (FaultKind::WrongKey, Some(400)));
}

#[tokio::test]
async fn a_missing_key_sends_nothing() {
    let fault = fault_at(Provider::openai(Key::Missing), "gpt-5").await;
    check(&fault, FaultKind::NoKey, "there is no key for openai", "set OPENAI_API_KEY");
}

#[tokio::test]
async fn an_unknown_model_is_distinguished_from_a_wrong_address() {
    let body = r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-haiku-5-5"}}"#;
    check(
        &fault(Wire::Anthropic, "404 Not Found", body).await,
        FaultKind::UnknownModel,
        "anthropic has no model `claude-haiku-5-5` (404: model: claude-haiku-5-5)",
        "use a model that `ghosthand models` lists for anthropic, or request access to it",
    );
    let server = Server::new(vec![answer("404 Not Found", "", "404 page not found")]).await;
    let address = server.address.clone();
    let wrong = Provider { base_url: address.clone(), ..provider(Wire::Chat) };
    check(
        &fault_at(wrong, "gpt-5").await,
        FaultKind::Unreachable,
        &format!("there is no `chat` API at {address} (404)"),
        "correct the base address of openai",
    );
}

#[tokio::test]
async fn a_web_page_is_not_an_answer() {
    let page = answer("200 OK", "content-type: text/html\r\n", "<html></html>");
    let server = Server::new(vec![page]).await;
    let wrong = Provider { base_url: server.address.clone(), ..provider(Wire::Chat) };
    check(
        &fault_at(wrong, "gpt-5").await,
        FaultKind::Garbled,
        "openai: the server does not follow the protocol: it answers with a web page",
        "check that the base address and `wire` are right for this server",
    );
}

#[tokio::test]
async fn an_address_may_be_invalid_or_unreachable() {
    for bad in ["api.openai.com/v1", "ftp://example.org", "http://", "not an address"] {
        let wrong = Provider { base_url: bad.to_owned(), ..provider(Wire::Chat) };
        let fault = fault_at(wrong, "gpt-5").await;
        assert!(fault.message.contains(&format!("`{bad}`")), "{fault}");
        assert_eq!(fault.kind, FaultKind::Unreachable);
    }
    let hidden = "https://me:password@example.org/v1?key=hush".to_owned();
    let fault = fault_at(Provider { base_url: hidden, ..provider(Wire::Chat) }, "gpt-5").await;
    assert!(fault.message.contains("`https://example.org/v1` of openai is invalid"), "{fault}");
    // A reserved port without a server.
    let unreachable = "http://127.0.0.1:1".to_owned();
    let fault =
        fault_at(Provider { base_url: unreachable.clone(), ..provider(Wire::Chat) }, "gpt-5").await;
    assert_eq!(fault.kind, FaultKind::Unreachable);
    assert!(
        fault.message.starts_with(&format!("openai cannot be reached at {unreachable}: ")),
        "{fault}"
    );
    assert_eq!(fault.fix, "check the network, and that the server runs at this address");
}

#[tokio::test]
async fn a_refused_schema_names_the_tool() {
    for (wire, body) in [
        (
            Wire::Anthropic,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"tools.1.custom.input_schema: JSON schema is invalid"}}"#,
        ),
        (
            Wire::Responses,
            r#"{"error":{"message":"Invalid schema: In context=('properties','x')","type":"invalid_request_error","param":"tools[1].parameters","code":"invalid_function_parameters"}}"#,
        ),
        (
            Wire::Gemini,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"* GenerateContentRequest.tools[0].function_declarations[1].parameters_json_schema: wrong"}}"#,
        ),
    ] {
        let fault = fault(wire, "400 Bad Request", body).await;
        assert_eq!(fault.kind, FaultKind::BadRequest);
        assert!(fault.message.contains("does not accept the tool `clock.now` (400: "), "{fault}");
        assert_eq!(fault.fix, "change the schema of `clock.now`, or leave it out");
    }
    let body = r#"{"error":{"message":"Invalid schema for function 'get_weather': no","type":"invalid_request_error","param":null,"code":null}}"#;
    let fault = fault(Wire::Chat, "400 Bad Request", body).await;
    assert!(fault.message.contains("the tool `get_weather`"), "{fault}");
}

#[tokio::test]
async fn other_faults_are_classified_by_status_and_message() {
    for (wire, status, body, kind) in [
        (
            Wire::Anthropic,
            "429 Too Many Requests",
            r#"{"error":{"message":"monthly spend limit"}}"#,
            FaultKind::SpendCap,
        ),
        (
            Wire::Responses,
            "429 Too Many Requests",
            r#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#,
            FaultKind::SpendCap,
        ),
        (
            Wire::Chat,
            "429 Too Many Requests",
            r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#,
            FaultKind::RateLimited,
        ),
        (Wire::Anthropic, "402 Payment Required", "{}", FaultKind::SpendCap),
        (
            Wire::Anthropic,
            "400 Bad Request",
            r#"{"error":{"message":"Your credit balance is too low"}}"#,
            FaultKind::SpendCap,
        ),
        (
            Wire::Anthropic,
            "400 Bad Request",
            r#"{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            FaultKind::ContextExceeded,
        ),
        (
            Wire::Chat,
            "400 Bad Request",
            r#"{"error":{"message":"too long","code":"context_length_exceeded"}}"#,
            FaultKind::ContextExceeded,
        ),
        (
            Wire::Anthropic,
            "413 Payload Too Large",
            r#"{"error":{"message":"too big"}}"#,
            FaultKind::TooLarge,
        ),
        (Wire::Anthropic, "529 Overloaded", "{}", FaultKind::Overloaded),
        (Wire::Anthropic, "504 Gateway Timeout", "{}", FaultKind::TimedOut),
        (
            Wire::Chat,
            "404 Not Found",
            r#"{"error":"model 'qwen' not found"}"#,
            FaultKind::UnknownModel,
        ),
        (Wire::Anthropic, "418 I'm a teapot", "tea", FaultKind::BadRequest),
    ] {
        let fault = fault(wire, status, body).await;
        assert_eq!(fault.kind, kind, "{status} {body}: {fault}");
        assert!(!fault.fix.is_empty());
    }
}

#[tokio::test]
async fn gemini_says_in_its_body_when_to_retry() {
    let body = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"2.5s"}]}}"#;
    let fault = fault(Wire::Gemini, "429 Too Many Requests", body).await;
    assert_eq!(fault.retry_after, Some(std::time::Duration::from_millis(2_500)));
}

#[test]
fn nothing_prints_a_key() {
    let mut provider = provider(Wire::Gemini);
    provider.headers.push(("x-team".to_owned(), Secret::new("team-secret")));
    let printed = format!("{provider:?}");
    assert!(!printed.contains("sk-test-key") && !printed.contains("team-secret"), "{printed}");
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_a_fault_without_its_value() {
    let mut provider = provider(Wire::Chat);
    provider.key = Key::Given(Secret::new("sk-with\nline-end"));
    let fault = fault_at(provider, "gpt-5").await;
    assert!(fault.message.contains("`authorization`") && !fault.message.contains("line-end"));
}
