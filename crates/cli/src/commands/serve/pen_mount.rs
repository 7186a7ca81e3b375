//! Ghostpen's page on `ghosthand serve`, over the same folder and drafts as the terminal's.

use std::sync::Arc;

use engine::Engine;
use pen::tools::{Pen, ReadsInMemory};
use pen_web::{PenLimits, PenWeb};
use providers::{Purpose, UsageBook};
use server::{Extension, LOCAL};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_model::{REHEARSAL, open_model};
use crate::wiring::pen_tools;

/// The extension, and the unpacked contracts of its tools, kept while it is served.
pub(super) struct PenMount {
    pub extension: Extension,
    pub tools: tempfile::TempDir,
}

/// Mounts the page. Its engine has Ghostpen's own tools, whatever tools the project has.
pub(super) fn open(
    args: &EngineArgs,
    config: &Config,
    served: &Engine,
    operator: Option<String>,
) -> Result<PenMount, Failure> {
    let tools = tempfile::tempdir()?;
    pen::tools::unpack(tools.path())?;
    let engine = args.open_for_pen(config, tools.path(), &served.shared_store())?;
    let model = open_model(config)?;
    let book = UsageBook::new(served.shared_store(), served.clock());
    let owner = operator.clone().unwrap_or_else(|| LOCAL.to_owned());
    let model =
        (model.facts().provider != REHEARSAL).then(|| book.metered(model, &owner, Purpose::Pen));
    let pen = Pen::new(
        pen_tools::workspace(config),
        pen_tools::lang(config),
        pen_tools::remote_services(config, model.clone()),
        // Its tools run in the engine, which has the record of the store.
        Arc::<ReadsInMemory>::default(),
    );
    let secrets = pen_tools::secrets(config);
    let web = PenWeb { pen, engine, model, secrets, operator, limits: PenLimits::machine() };
    Ok(PenMount { extension: web.extension(), tools })
}
