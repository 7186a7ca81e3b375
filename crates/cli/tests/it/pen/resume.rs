//! A terminal that is killed loses no draft. GP-21.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use fake_providers::Turn;

use super::support::{BETTER, GOOD, TOPIC, posts, session, with_golden};
use crate::support::model_project::FarSide;

/// Types these lines, waits until a text was shown, and kills the program.
fn killed_after(far: &FarSide, lines: &[&str], shown: &str) {
    let mut command = far.command(&["pen", "--lang", "uk", TOPIC]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    let out = BufReader::new(child.stdout.take().unwrap());
    out.lines().map_while(Result::ok).find(|line| line.contains(shown)).expect(shown);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn gp_21_a_killed_session_is_resumed_with_its_draft_and_its_versions() {
    let far = with_golden();
    far.fake.then(Turn::says(GOOD)).then(Turn::says(BETTER));
    killed_after(&far, &["занадто формально"], "А ви як?");
    let list = session(&far, &[], &["drafts"]);
    assert!(list.out.contains("плани"), "{list:?}");
    let run = session(&far, &["undo", "ok"], &["resume"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert!(run.out.contains(BETTER), "the draft is shown: {}", run.out);
    let text = std::fs::read_to_string(&posts(&far)[0]).unwrap();
    assert!(text.contains(GOOD), "undo goes back over the kill: {text}");
    far.fake.assert_used_up();
}
