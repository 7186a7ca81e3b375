//! A conversation of thousands of messages in Chromium: how long it takes to open, what a
//! keystroke costs, and how long a frame takes while scrolling, as it opens and with many
//! earlier messages shown.
//!
//! `make setup-tests` installs Chromium and Node. The script `page/measure.mjs` acts in the
//! browser.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::measure::{against, ms, row};
use crate::server_process::Running;
use crate::streams::SERVER_ALONE;

const MESSAGES: u32 = 5_000;
/// How often earlier messages are asked for: not at all, and until 3,150 are shown.
const EARLIER: [u32; 2] = [0, 20];
const OPEN_TIME_MAX: Duration = Duration::from_millis(500);
const KEY_TIME_MAX: Duration = Duration::from_millis(16);

pub(crate) fn run() -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "this very program, once more")]
    let mut command = Command::new(std::env::current_exe()?);
    let server = Running::start(command.arg(SERVER_ALONE))?;
    let address = format!("http://{}/", server.address);
    for earlier in EARLIER {
        let found = measured(&address, earlier)?;
        let number = |name: &str| found[name].as_f64().context("the script prints numbers");
        let time = |name: &str| anyhow::Ok(Duration::from_secs_f64(number(name)? / 1000.0));
        let shown = number("entries")?;
        let opened = time("opened")?;
        if earlier == 0 {
            row(
                &format!("{MESSAGES} messages, opened"),
                &ms(opened),
                &against(OPEN_TIME_MAX, opened),
            );
        }
        let key = time("key")?;
        let what = format!("  a keystroke, {shown} entries shown");
        row(&what, &ms(key), &against(KEY_TIME_MAX, key));
        let slowest = time("keyP99")?;
        row("    the slowest of a hundred (p99)", &ms(slowest), &against(KEY_TIME_MAX, slowest));
        row("  a frame while scrolling, p95", &ms(time("frame")?), "");
        let dropped = format!("{} of {}", number("dropped")?, number("frames")?);
        row("  frames dropped while scrolling", &dropped, "");
    }
    Ok(())
}

fn measured(address: &str, earlier: u32) -> Result<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/page/measure.mjs");
    #[expect(clippy::disallowed_methods, reason = "Node drives the browser")]
    let mut node = Command::new(testkit::packages::node());
    let output = node.arg(script).args([address, &MESSAGES.to_string(), &earlier.to_string()]);
    let output = output.output()?;
    if !output.status.success() {
        bail!("the page was not measured:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
