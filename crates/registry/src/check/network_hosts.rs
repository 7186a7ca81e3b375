//! Compares the hosts of contracts with the hosts that the operator allows.

use std::path::Path;

use contract::HostPattern;

use crate::build::Build;
use crate::fault::SourceLocation;
use crate::python_module::SETTINGS_FILE;
use crate::source::text::Text;
use crate::source::{read_text, slashed};
use crate::tool::Tool;

/// The maximum size of a file with a contract.
const BYTES_MAX: u64 = 1 << 20;

impl Build {
    /// Warns about every host in `net` that is not allowed, before the tool fails at run time.
    /// `dir` is the directory that was read.
    pub fn check_reach(&mut self, dir: &Path, is_closed: &dyn Fn(&HostPattern) -> bool) {
        let tools: Vec<_> = self.registry.tools().cloned().collect();
        for tool in tools {
            let contract = &tool.contract;
            for host in contract.capabilities.net.iter().filter(|host| is_closed(host)) {
                let place = place_of(dir, &tool, host);
                self.faults.host_closed(place, contract.tool_id.as_str(), host.as_str());
            }
        }
        self.faults.sort();
    }
}

/// Where the author wrote the host.
fn place_of(dir: &Path, tool: &Tool, host: &HostPattern) -> SourceLocation {
    let (file, item) = match tool.handler.path.split_once('#') {
        Some((file, item)) => (file, Some(item)),
        None => (tool.handler.path.as_str(), None),
    };
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = |name: &str| match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    };
    let id = tool.contract.tool_id.as_str();
    let files = match (item, file) {
        (Some(_), file) => vec![file.to_owned(), beside(SETTINGS_FILE)],
        // A native handler has no file.
        (None, "") => vec![format!("{}/schema.json", id.replace('_', "-"))],
        (None, _) => vec![beside("schema.json"), "schema.json".to_owned()],
    };
    let quoted = [format!("\"{host}\""), format!("'{host}'")];
    for file in &files {
        let Ok(Some(raw)) = read_text(&dir.join(file), BYTES_MAX) else { continue };
        let text = Text::new(format!("{}/{file}", slashed(dir)), &raw);
        let found = quoted
            .iter()
            .find_map(|quoted| text.content.find(quoted.as_str()).map(|at| at..at + quoted.len()));
        if let Some(span) = found {
            return text.place(span);
        }
    }
    SourceLocation::whole(&format!("{}/{}", slashed(dir), files[0]))
}
