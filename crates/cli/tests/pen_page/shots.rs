//! Pictures of Ghostpen's page for the documents.

use std::path::PathBuf;

use fake_providers::Turn;

use crate::desk::{BETTER, Desk, GOOD, has_text, mode, types_more};
use crate::program::repository;

fn file(name: &str) -> PathBuf {
    let folder = repository().join("docs/images");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(format!("pen-{name}.png"))
}

#[test]
#[ignore = "writes docs/images; run it, then look at them"]
fn pen_shots() {
    let desk = Desk::new();
    let tab = desk.tab();
    tab.size(1440, 900);
    tab.fill("#idea", "напиши пост про вигорання: чому відпустка не рятує");
    tab.click(".pick-chip >> X");
    tab.shot(&file("ideas"));
    tab.fill("#idea", "");
    let tab = desk.written(GOOD);
    tab.size(1440, 900);
    desk.pad.model.then(Turn::says(BETTER));
    tab.click(".remark >> занадто формально");
    has_text(&tab, BETTER);
    types_more(&tab, "\n\nДрузі, це не просто контент, а спосіб жити.");
    tab.sees("#findings [data-rule=avoid-word]");
    tab.sees(".mirror mark.error");
    tab.shot(&file("draft"));
    tab.scheme("dark");
    tab.shot(&file("draft-dark"));
    tab.size(390, 844);
    tab.shot(&file("draft-phone-dark"));
    tab.scheme("light");
    tab.shot(&file("draft-phone"));
    tab.eval("find('.beside').scrollIntoView()");
    tab.shot(&file("check-phone"));
    tab.click("#save");
    tab.sees("#said >> збережено:");
    for (name, size) in [
        ("voice", (1440, 900)),
        ("calendar", (1440, 900)),
        ("ideas", (390, 844)),
        ("calendar", (390, 844)),
        ("voice", (390, 844)),
    ] {
        tab.size(size.0, size.1);
        mode(&tab, name);
        tab.until("document.querySelector('#main').innerText.length > 60");
        if name == "voice" {
            tab.sees("main.view-voice .measures td.number");
        }
        tab.eval("document.querySelector('#toasts').replaceChildren()");
        let end = if size.0 < 600 { "-phone" } else { "" };
        tab.shot(&file(&format!("{name}{end}")));
    }
    let keyless = Desk::keyless();
    let tab = keyless.tab();
    tab.size(1440, 900);
    tab.fill("#idea", "пост про плани");
    tab.click("#begin");
    tab.until("find('#prompt')?.value.includes('You are Ghostpen')");
    tab.shot(&file("prompt"));
}
