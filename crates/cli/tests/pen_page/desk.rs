//! A page with a profile, and a model that writes what a test says.

use std::fs;

use serde_json::json;

use crate::browser::Tab;
use crate::pad::Pad;

const GOLDEN: &str = include_str!("../../../../apps/pen/tests/data/golden-profile.json");

/// A draft that keeps every rule of the golden profile, and another one.
pub(crate) const GOOD: &str = "Плани не рятують.\n\nЯ писав їх роками. І кидав.\n\nОсь у чому штука: \
    план боїться життя.\n\nА ви плануєте?\n\n#робота #план #чесно";
pub(crate) const BETTER: &str = "Плани брешуть.\n\nЯ вірив їм довго. Дарма.\n\nДавайте чесно: план \
    любить тишу.\n\nА ви як?\n\n#робота #план #чесно";

pub(crate) const IDEA: &str = "напиши пост про плани";

pub(crate) struct Desk {
    pub pad: Pad,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::of(Pad::new())
    }

    /// Without a key.
    pub(crate) fn keyless() -> Self {
        Self::of(Pad::rehearsing())
    }

    fn of(pad: Pad) -> Self {
        let folder = pad.dir().join("data/profiles");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("default.json"), GOLDEN).unwrap();
        Self { pad }
    }

    /// A second profile, whose techniques can be borrowed.
    pub(crate) fn with_other(self, name: &str) -> Self {
        let text = GOLDEN.replace("\"default\"", &format!("\"{name}\""));
        let text = text.replace("\"personal\"", "\"reference\"");
        fs::write(self.pad.dir().join(format!("data/profiles/{name}.json")), text).unwrap();
        self
    }

    /// Files of the folder with saved posts.
    pub(crate) fn saved(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.pad.dir().join("data/output/generated")) else {
            return Vec::new();
        };
        entries.flatten().map(|entry| fs::read_to_string(entry.path()).unwrap()).collect()
    }

    /// The page in Ukrainian, where ideas come in.
    pub(crate) fn tab(&self) -> Tab {
        let tab = self.pad.opened();
        tab.eval("localStorage.setItem('pen-lang', 'uk')");
        tab.open(&format!("{}pen", self.pad.url));
        tab.sees("#modes >> Писати");
        tab
    }

    /// A draft whose text is this.
    pub(crate) fn written(&self, text: &str) -> Tab {
        self.pad.model.then(fake_providers::Turn::says(text));
        let tab = self.tab();
        tab.fill("#idea", IDEA);
        tab.click("#begin");
        has_text(&tab, text);
        tab
    }
}

/// Waits until the text field has this text, and nothing is at work.
#[track_caller]
pub(crate) fn has_text(tab: &Tab, text: &str) {
    tab.until(&format!(
        "find('#text')?.value === {} && find('.desk').getAttribute('aria-busy') === 'false'",
        json!(text)
    ));
}

/// Types at the end of the text field.
#[track_caller]
pub(crate) fn types_more(tab: &Tab, text: &str) {
    tab.click("#text");
    tab.eval(
        "(area => area.setSelectionRange(area.value.length, area.value.length))(find('#text'))",
    );
    tab.types(text);
}

/// Goes to a section.
#[track_caller]
pub(crate) fn mode(tab: &Tab, name: &str) {
    tab.click(&format!("[data-mode={name}]"));
    tab.sees(&format!("main.view-{name}"));
}
