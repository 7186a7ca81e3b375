//! What every Ghostpen command needs: the workspace, the language, the model.

use std::io::{BufRead, IsTerminal};
use std::sync::Arc;

use contract::Model;
use pen::profile::BadProfileName;
use pen::tools::Pen;
use pen::{Lang, Profile, ProfileName, Workspace, WorkspaceFault};

use crate::config::Config;
use crate::exit::Failure;
use crate::wiring::open_model::{REHEARSAL, open_model};
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
        );
        Self { config, lang, pen }
    }

    pub(super) fn workspace(&self) -> &Workspace {
        self.pen.workspace()
    }

    /// The text in the language of the interface.
    pub(super) fn text<'a>(&self, uk: &'a str, en: &'a str) -> &'a str {
        self.lang.pick(uk, en)
    }

    /// The configured model; `None` if there is only the rehearsal, which cannot write.
    pub(super) fn model(&self) -> Result<Option<Arc<dyn Model>>, Failure> {
        let model = open_model(&self.config)?;
        Ok((model.facts().provider != REHEARSAL).then_some(model))
    }

    pub(super) fn profile(&self, name: &str) -> Result<Profile, Failure> {
        let name = self.name(name)?;
        self.workspace().read(&name).map_err(|fault| self.unreadable(fault))
    }

    pub(super) fn name(&self, name: &str) -> Result<ProfileName, Failure> {
        name.parse().map_err(|bad| self.bad_name(bad))
    }

    pub(super) fn bad_name(&self, bad: BadProfileName) -> Failure {
        let fix =
            self.text("назвіть профіль латиницею: my-voice", "use a plain name, as in my-voice");
        Failure::user(bad, fix)
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

    /// A profile fault as a failure with a fix.
    pub(super) fn unreadable(&self, fault: WorkspaceFault) -> Failure {
        let fix = match &fault {
            WorkspaceFault::NotFound { available, .. } if available.is_empty() => {
                self.text("запустіть `ghostpen init`", "run `ghostpen init`")
            }
            WorkspaceFault::NotFound { .. } => self.text(
                "`ghostpen profile list` показує всі",
                "`ghostpen profile list` shows them all",
            ),
            WorkspaceFault::Broken { .. } | WorkspaceFault::OtherName { .. } => self.text(
                "виправте названі поля у файлі профілю",
                "correct these fields in the profile file",
            ),
            WorkspaceFault::Refused(_) => {
                self.text("змініть те, що названо", "change these fields")
            }
            WorkspaceFault::Exists(_) => self.text(
                "дайте інше ім'я, або видаліть старий",
                "use another name, or delete the old one",
            ),
            WorkspaceFault::Disk { .. } => {
                self.text("перевірте папку і диск", "check the folder and the disk")
            }
        };
        let WorkspaceFault::NotFound { name, available } = &fault else {
            return Failure::user(fault, fix);
        };
        let known = match available.as_slice() {
            [] => self.text("ще немає жодного", "there are none yet").to_owned(),
            some => format!("{}: {}", self.text("є", "available profiles"), some.join(", ")),
        };
        let what = match self.lang {
            Lang::Uk => format!("профіль `{name}` не знайдено; {known}"),
            Lang::En => format!("profile `{name}` not found; {known}"),
        };
        Failure::message(what, fix)
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
