//! Icons by their Lucide names.

use crate::pad::Pad;

/// A module whose features have icons that the page does not bring along.
const MODULE: &str = r#"
async def shown(params, metadata):
    return {"success": True}

def instant(name, icon):
    feature = {"id": name, "type": "ui_v1", "label": icon, "icon": icon, "layout": {"type": "instant"}}
    return {"schema": {"name": name, "description": f"{icon} at one click"}, "version": "1.0.0",
            "ui_feature": feature, "ui_handlers": {name: shown}}

TOOLS = [instant("sail", "Sailboat"), instant("quux", "QuuxOfDoom")]
"#;

#[test]
fn any_icon_of_lucide_is_drawn_and_an_unknown_one_is_a_letter() {
    let pad = Pad::with(&[("gallery.py", MODULE)]);
    let tab = pad.talking();
    tab.click("#bar-tools [aria-label='Tool features']");
    tab.sees(".menu [role=menuitem] >> Sailboat");
    let place = |name: &str| {
        let item = format!("find('.menu [role=menuitem] >> {name}').querySelector('use')");
        tab.eval(&format!("{item}.href.baseVal")).as_str().unwrap().to_owned()
    };
    let drawn = |name: &str| {
        let path = place(name);
        let got = format!("await (await fetch('{path}')).text()");
        tab.eval(&got).as_str().unwrap().to_owned()
    };
    assert!(place("Sailboat").ends_with("/icons/Sailboat.svg#icon"), "{}", place("Sailboat"));
    assert!(drawn("Sailboat").contains("<path d="), "{}", drawn("Sailboat"));
    assert!(drawn("QuuxOfDoom").contains(">Q</text>"), "{}", drawn("QuuxOfDoom"));
    // What is drawn has an extent; what could not be fetched has none.
    for name in ["Sailboat", "QuuxOfDoom"] {
        let item = format!("find('.menu [role=menuitem] >> {name}').querySelector('use')");
        tab.until(&format!("{item}.getBBox().width > 0"));
    }
    tab.assert_quiet();
}
