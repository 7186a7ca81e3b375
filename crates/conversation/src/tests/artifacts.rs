//! Files that a tool returns: the person sees them, the model reads them once.

use contract::Part;
use serde_json::{Value, json};

use super::world::{Script, World, calls, events, id, opened, says, write_tool};
use crate::{Entry, view};

#[tokio::test]
async fn a_file_of_a_tool_is_a_part_of_the_answer_and_the_model_reads_it_once() {
    let world = World::new();
    let pure = json!({"category": "utility", "sideEffects": "none", "idempotent": true});
    write_tool(world.dir.path(), "draw", pure);
    let script = Script::new([calls(&[("a", "draw")]), says("done")]);
    let conversations = world.conversations();
    conversations.open(&id(), opened()).await.unwrap();
    conversations.say(&id(), "go").await.unwrap();
    conversations.run_turn(&id(), &world.answerer(script.clone())).await.unwrap();
    conversations.flush().await;

    let shown = view(&conversations.get(&id()).await.unwrap());
    let texts: Vec<_> = shown
        .iter()
        .filter_map(|entry| match entry {
            Entry::Assistant { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let table = "```csv title=\"a.csv\"\na,b\n1,2\n```";
    assert_eq!(texts, [table, "```md title=\"b.md\"\nthe plan\n```", "done"]);

    let last = script.asked.lock().unwrap()[1].messages.last().unwrap().clone();
    let [block] = last.blocks.as_slice() else { panic!("{last:?}") };
    let Part::Result(result) = &block.part else { panic!("{block:?}") };
    let expected = json!({
        "result": {"plan": "the plan"},
        "files_shown_to_user": [
            {"name": "a.csv", "language": "csv", "bytes": 7, "text": "a,b\n1,2"},
            {"name": "b.md", "language": "md", "bytes": 8},
        ],
    });
    assert_eq!(result.content, expected, "what the result has is not repeated");

    // Events without files are written as before.
    let plain = events(&conversations).await;
    let settled = plain.iter().map(|event| serde_json::to_value(event).unwrap());
    let with = |event: &Value| event.pointer("/settled/artifacts").is_some();
    assert_eq!(settled.filter(with).count(), 1);
}
