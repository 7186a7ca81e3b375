//! A few kills of the trial that `cargo xtask chaos` runs at length.

use std::path::Path;

use testkit::chaos::{Plan, run};

#[test]
fn a_server_that_is_killed_again_and_again_loses_doubles_and_forgets_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_ghosthand"));
    let report = run(program, dir.path(), &Plan::new(6, 20)).unwrap();
    println!("{report}");
    assert_eq!(report.findings, Vec::<String>::new(), "{report}");
}
