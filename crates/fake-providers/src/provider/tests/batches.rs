//! Batches: created, polled, read.

use contract::Wire;
use serde_json::{Value, json};

use super::client::{Client, HttpAnswer, body};
use crate::provider::{FakeProvider, Fault, Step, Turn};

fn lines(answer: &HttpAnswer) -> Vec<Value> {
    answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn anthropic_batches_end_with_unordered_results() {
    let provider = FakeProvider::start().await.unwrap();
    provider.script([Step::from(Turn::says("one")), Fault::server_error().into()]);
    let client = Client::new(&provider);
    let mut wrong = body(Wire::Anthropic);
    wrong["temperature"] = 1.into();
    let request = |id: &str, params: Value| json!({ "custom_id": id, "params": params });
    let requests = json!({ "requests": [
        request("a", body(Wire::Anthropic)), request("b", wrong), request("c", body(Wire::Anthropic)),
    ] });
    let made = client.post("/v1/messages/batches", &requests).await.json();
    assert_eq!(
        (&made["processing_status"], &made["request_counts"]["processing"]),
        (&json!("in_progress"), &json!(3))
    );
    let path = format!("/v1/messages/batches/{}", made["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.json()["processing_status"], "in_progress");
    let ended = client.get(&path).await.json();
    assert_eq!(ended["processing_status"], "ended");
    assert_eq!(
        ended["request_counts"],
        json!({ "processing": 0, "succeeded": 1, "errored": 2, "canceled": 0, "expired": 0 })
    );
    let url = ended["results_url"].as_str().unwrap();
    let results = lines(&client.get(url.strip_prefix(&provider.base_url()).unwrap()).await);
    let ids: Vec<_> = results.iter().map(|line| line["custom_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["c", "b", "a"]);
    assert_eq!(results[2]["result"]["message"]["content"][0]["text"], "one");
    assert_eq!(results[1]["result"]["error"]["error"]["type"], "invalid_request_error");

    for bad in [
        json!([]),
        json!([request("no spaces", json!({}))]),
        json!([request("x", json!({})), request("x", json!({}))]),
    ] {
        let answer = client.post("/v1/messages/batches", &json!({ "requests": bad })).await;
        assert_eq!(answer.status, 400);
    }
}

async fn upload(client: Client, purpose: &str, text: &str) -> Value {
    let body = format!(
        "--xx\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\n{purpose}\r\n\
         --xx\r\nContent-Disposition: form-data; name=\"file\"; filename=\"in.jsonl\"\r\n\
         Content-Type: application/jsonl\r\n\r\n{text}\r\n--xx--\r\n"
    );
    let client = client.with("content-type", "multipart/form-data; boundary=xx");
    client.send("POST", "/v1/files", body.into_bytes()).await.unwrap().json()
}

#[tokio::test]
async fn openai_batches_go_through_files() {
    let provider = FakeProvider::start().await.unwrap();
    provider.batch_polls(0).then(Turn::says("one"));
    let plain = || Client::new(&provider).without("anthropic-version");
    let line = |id: &str, body: &Value| json!({ "custom_id": id, "method": "POST", "url": "/v1/responses", "body": body });
    let good = body(Wire::Responses);
    let mut wrong = good.clone();
    wrong["no_such"] = 1.into();
    let text = format!("{}\n{}\n", line("a", &good), line("b", &wrong));
    let file = upload(plain(), "batch", &text).await;
    assert_eq!((&file["filename"], &file["bytes"]), (&json!("in.jsonl"), &json!(text.len())));
    let id = file["id"].as_str().unwrap();
    let path = format!("/v1/files/{id}");
    assert_eq!(plain().get(&format!("{path}/content")).await.text(), text);

    let order =
        json!({ "input_file_id": id, "endpoint": "/v1/responses", "completion_window": "24h" });
    let made = plain().post("/v1/batches", &order).await.json();
    assert_eq!(made["status"], "validating");
    let done = plain().get(&format!("/v1/batches/{}", made["id"].as_str().unwrap())).await.json();
    assert_eq!(done["status"], "completed");
    assert_eq!(done["request_counts"], json!({ "total": 2, "completed": 1, "failed": 1 }));
    let read = async |field: &str| {
        let path = format!("/v1/files/{}/content", done[field].as_str().unwrap());
        lines(&plain().get(&path).await)
    };
    assert_eq!(
        read("output_file_id").await[0]["response"]["body"]["output"][0]["content"][0]["text"],
        "one"
    );
    let failed = read("error_file_id").await;
    assert_eq!(
        (&failed[0]["custom_id"], &failed[0]["response"]["status_code"]),
        (&json!("b"), &json!(400))
    );

    let gone = plain().send("DELETE", &path, Vec::new()).await.unwrap();
    assert_eq!(gone.json()["deleted"], true);
    assert_eq!(plain().get(&path).await.status, 404);
    assert_eq!(plain().post("/v1/batches", &order).await.status, 404);
    let other = upload(plain(), "assistants", &text).await;
    let order = json!({ "input_file_id": other["id"], "endpoint": "/v1/responses", "completion_window": "24h" });
    assert_eq!(plain().post("/v1/batches", &order).await.status, 400);
}
