//! The API keeps to its own document, whatever is sent: schemathesis says so, seeded and within
//! limits, against a server of ours on this machine.

use std::process::{Command, Stdio};

use testkit::packages;

use crate::serve::served_pad::{Ended, served};
use crate::support::program::{command, copy_tree, repository};

/// Streams have no end to wait for, a WebSocket is more than an answer, and what asks a model or
/// the web is tried elsewhere.
const LEFT_OUT: &str = "stream$|agui|suggest|ai_edit|read/page|[}]/voice$|/api/providers|/api/mcp-";

/// `ignored_auth` is not among them: it sends more wrong tokens than the server listens to, and
/// `server/tests/it/openapi.rs` tries every operation without one.
const CHECKS: &str = "status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,\
                      unsupported_method,allow_header_conformance,missing_required_header,\
                      negative_data_rejection";

/// Where the document cannot say all that is asked for: a turn or an event is a number without a
/// fraction, which JSON Schema also takes as `1.0`; `args` of `why` is JSON in a text; a file is a
/// file of ours, and an attachment one that can be read; a folder's name has letters; a style
/// profile needs three posts; a new conversation names a model of this
/// server or none; a tool's arguments are told in the tools' own document, where handlers also
/// check how they go together.
const NOT_SAID: &str = "/why$|/edit$|/regenerate$|/version$|/branch$|/import$|/pen/profiles$|/read/file$|^/api/conversations$|^/api/attachments$|^/api/kb$|^/api/call/[{]tool[}]$";

/// Sends so many requests to each operation of a document; nothing may be found.
fn conforms(document: &str, phases: &str, more: &str) {
    checked(document, phases, &format!("{CHECKS}{more}"), LEFT_OUT);
}

fn checked(document: &str, phases: &str, checks: &str, left_out: &str) {
    let dir = tempfile::tempdir().unwrap();
    copy_tree(&repository().join("tools"), &dir.path().join("tools"));
    copy_tree(&repository().join("kb"), &dir.path().join("kb"));
    let (child, link) = served(command(dir.path()).args(["serve", "--listen", "127.0.0.1:0"]));
    let _server = Ended(child);
    let (address, token) = link.split_once("/login#").unwrap();
    let output = Command::new(packages::python("schemathesis"))
        .args(["-m", "schemathesis.cli", "run", &format!("http://{address}{document}")])
        .args(["--header", &format!("Authorization: Bearer {token}")])
        .args(["--phases", phases, "--max-examples", "3", "--seed", "1"])
        .args(["--checks", checks, "--exclude-path-regex", left_out, "--continue-on-failure"])
        .args(["--suppress-health-check", "all", "--no-shrink", "--warnings", "off", "--no-color"])
        .args(["--generation-database", "none", "--request-timeout", "60"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("No issues found"), "{said}");
}

#[test]
fn the_api_answers_as_its_document_says() {
    conforms("/api/openapi.json", "examples,coverage,fuzzing", ",not_a_server_error");
}

/// A tool that fails is a documented 502, so that is no fault here.
#[test]
fn the_tools_answer_as_their_document_says() {
    conforms("/api/call/openapi.json", "examples,coverage", "");
}

#[test]
fn the_api_takes_what_its_document_allows() {
    let left_out = format!("{LEFT_OUT}|{NOT_SAID}");
    checked("/api/openapi.json", "coverage,fuzzing", "positive_data_acceptance", &left_out);
}
