//! What every Ghostpen command needs: the workspace, the language, the model.

use std::io::{BufRead, ErrorKind, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use contract::Model;
use pen::profile::BadProfileName;
use pen::session::SessionFault;
use pen::tools::{Pen, ReadsInMemory};
use pen::{Lang, Profile, ProfileName, Workspace, WorkspaceFault};
use store::Store;

use crate::commands::emit::read_text;
use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::engine_setup::EngineArgs;
use crate::wiring::open_model::{REHEARSAL, open_model};
use crate::wiring::open_store::{StoreUse, open_store};
use crate::wiring::pen_tools;

pub(super) struct PenContext {
    pub config: Config,
    pub lang: Lang,
    pub pen: Pen,
}

impl PenContext {
    pub(super) fn new(config: Config) -> Self {
        let lang = pen_tools::lang(&config);
        let pen = Pen::new(
            pen_tools::workspace(&config),
            lang,
            pen_tools::remote_services(&config, open_model(&config).ok()),
            // Its tools run in the engine, which has the record of the store.
            Arc::<ReadsInMemory>::default(),
        );
        Self { config, lang, pen }
    }

    pub(super) fn workspace(&self) -> &Workspace {
        self.pen.workspace()
    }

    /// The text of a file; `-` is standard input.
    pub(super) fn text_of(&self, path: &Path, bytes_max: usize) -> Result<String, Failure> {
        if path != Path::new("-")
            && let Err(fault) = std::fs::File::open(path)
        {
            let known = [
                (ErrorKind::NotFound, "posts.missing"),
                (ErrorKind::PermissionDenied, "posts.forbidden"),
            ];
            let key = known.iter().find(|(kind, _)| *kind == fault.kind()).map(|(_, key)| *key);
            let why = key.map_or_else(|| fault.to_string(), |key| self.lang.say(key).to_owned());
            let path = path.display();
            let what = self.lang.fill("posts.unreadable", &[("path", &path), ("why", &why)]);
            return Err(Failure::message(what, self.lang.say("posts.file_fix")));
        }
        read_text(path, bytes_max)
    }

    /// Posts that cannot be read from a path.
    pub(super) fn no_posts_at(&self, path: &Path, fault: std::io::Error) -> Failure {
        let what = anyhow::Error::new(fault).context(format!("`{}`", path.display()));
        Failure::user(what, self.lang.say("posts.path_fix"))
    }

    /// The configured model; `None` if there is only the rehearsal, which cannot write.
    pub(super) fn model(&self) -> Result<Option<Arc<dyn Model>>, Failure> {
        let model = open_model(&self.config).map_err(|failure| self.no_model(failure))?;
        Ok((model.facts().provider != REHEARSAL).then_some(model))
    }

    /// Why the model that is wanted cannot be opened, in the writer's language.
    fn no_model(&self, failure: Failure) -> Failure {
        if self.lang == Lang::En {
            return failure;
        }
        let (why, _) = failure.into_parts();
        let what = self.lang.fill("model.unusable", &[("why", &why)]);
        Failure::message(what, self.lang.say("model.unusable_fix"))
    }

    /// The project's store, to look for drafts. Must be called on a runtime.
    pub(super) fn store(&self) -> Result<Arc<dyn Store>, Failure> {
        let args = EngineArgs { dir: None, store: None, rules: None };
        let address = args.store_address(&self.config)?;
        Ok(open_store(&address, StoreUse::Read)?.shared())
    }

    pub(super) fn profile(&self, name: &str) -> Result<Profile, Failure> {
        let name = self.name(name)?;
        self.workspace().read(&name).map_err(|fault| self.unreadable(fault))
    }

    pub(super) fn name(&self, name: &str) -> Result<ProfileName, Failure> {
        name.parse().map_err(|bad| self.bad_name(bad))
    }

    #[expect(clippy::needless_pass_by_value, reason = "reads best as the end of a fault")]
    pub(super) fn bad_name(&self, bad: BadProfileName) -> Failure {
        Failure::message(bad.text(self.lang), self.lang.say("profile.name_fix"))
    }

    pub(super) fn profile_exists(&self, name: &ProfileName) -> Result<(), Failure> {
        match self.workspace().profile_file(name).exists() {
            true => Ok(()),
            false => Err(self.unreadable(WorkspaceFault::NotFound {
                name: name.to_string(),
                available: self.workspace().names(),
            })),
        }
    }

    pub(super) fn session_fault(&self, fault: &SessionFault) -> Failure {
        let (what, fix) = fault.words(self.lang);
        Failure::message(what, fix)
    }

    /// A profile fault as a failure with a fix.
    #[expect(clippy::needless_pass_by_value, reason = "reads best as the end of a fault")]
    pub(super) fn unreadable(&self, fault: WorkspaceFault) -> Failure {
        Failure::message(fault.text(self.lang), fault.fix(self.lang))
    }
}

/// Is standard input a terminal?
pub(super) fn has_person() -> bool {
    std::io::stdin().is_terminal()
}

/// A line of standard input; `None` at the end.
pub(super) fn read_plain_line() -> Result<Option<String>, Failure> {
    let mut line = String::new();
    match std::io::stdin().lock().read_line(&mut line)? {
        0 => Ok(None),
        _ => Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned())),
    }
}
