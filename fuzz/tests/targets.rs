//! Every target, with the same inputs on every machine.

use fuzz::{Limit, run, target};

fn found(name: &str, inputs: u64) -> Option<String> {
    let target = target(name).filter(|target| !(target.seeds)().is_empty());
    let Some(target) = target else {
        return Some(format!("there is no target `{name}` with seeds"));
    };
    run(target, 1, Limit::Inputs(inputs)).err().map(|finding| finding.to_string())
}

#[test]
fn schemas_are_compiled_or_refused() {
    assert_eq!(found("schemas", 400), None);
}

#[test]
fn event_streams_end_in_a_reply_or_a_fault() {
    assert_eq!(found("event-streams", 1_500), None);
}

#[test]
fn markdown_is_harmless() {
    assert_eq!(found("markdown", 300), None);
}

#[test]
fn conversations_are_imported_or_refused() {
    assert_eq!(found("conversation-import", 1_500), None);
}

#[test]
fn card_files_are_read_or_refused() {
    assert_eq!(found("card-import", 3_000), None);
}

#[test]
fn attachments_are_read_or_refused() {
    assert_eq!(found("attachment", 2_000), None);
}
