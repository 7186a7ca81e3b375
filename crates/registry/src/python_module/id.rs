//! The id of a module's tool: `{module}.{name}`, in characters that every provider accepts.

use contract::{BadToolId, ToolId};

/// The id of an item, and the author's spelling if it differs.
pub(crate) fn tool_id(file: &str, name: &str) -> (Result<ToolId, BadToolId>, Option<String>) {
    let module = file.strip_suffix(".py").unwrap_or(file);
    let written = format!("{}.{name}", module.replace('/', "."));
    let parts: Vec<_> = module.split('/').chain(name.split('.')).map(legal).collect();
    let id = fitted(&parts);
    let differs = (id != written).then_some(written);
    (id.parse(), differs)
}

/// The parts joined by dots, without the outermost folders if that is too long.
fn fitted(parts: &[String]) -> String {
    let whole = parts.join(".");
    let shorter = (1..parts.len()).map(|from| parts[from..].join("."));
    let mut fits = shorter.filter(|id| id.len() <= ToolId::BYTES_MAX && id.contains('.'));
    match whole.len() {
        length if length <= ToolId::BYTES_MAX => whole,
        _ => fits.next().unwrap_or(whole),
    }
}

/// `webSearch` and `web-search` become `web_search`; `2048` becomes `t_2048`.
fn legal(part: &str) -> String {
    let mut id = String::new();
    let mut before = ' ';
    for c in part.chars() {
        let ends_word = before.is_ascii_lowercase() || before.is_ascii_digit();
        match c {
            'A'..='Z' => {
                if ends_word {
                    id.push('_');
                }
                id.push(c.to_ascii_lowercase());
            }
            'a'..='z' | '0'..='9' | '_' => id.push(c),
            _ if id.ends_with('_') => {}
            _ => id.push('_'),
        }
        before = c;
    }
    let id = id.trim_start_matches('_');
    match id.chars().next() {
        Some('0'..='9') => format!("t_{id}"),
        _ => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, name: &str, id: &str, written: Option<&str>) {
        let (found, differs) = tool_id(file, name);
        assert_eq!(found.map(|id| id.to_string()).ok().as_deref(), Some(id));
        assert_eq!(differs.as_deref(), written);
    }

    #[test]
    fn an_id_is_the_file_and_the_name_in_portable_characters() {
        check("calculator.py", "calculator", "calculator.calculator", None);
        check("core/web_search.py", "search", "core.web_search.search", None);
        check(
            "core/webSearch.py",
            "runHTTP",
            "core.web_search.run_http",
            Some("core.webSearch.runHTTP"),
        );
        check("my-tools/a.py", "b c", "my_tools.a.b_c", Some("my-tools.a.b c"));
        check("2048.py", "move", "t_2048.move", Some("2048.move"));
        check("a.py", "user.get", "a.user.get", None);
        check("a.py", "Größe", "a.gr_e", Some("a.Größe"));
    }

    #[test]
    fn an_id_that_is_too_long_loses_its_outermost_folders() {
        let deep = "integrations/google_calendar/recurring_events.py";
        let written = "integrations.google_calendar.recurring_events.create_recurring_event";
        let id = "google_calendar.recurring_events.create_recurring_event";
        check(deep, "create_recurring_event", id, Some(written));
    }

    #[test]
    fn a_name_without_a_letter_or_too_long_has_no_id() {
        for name in ["", "___", "é", &"x".repeat(70)] {
            assert!(tool_id("a.py", name).0.is_err(), "{name}");
        }
    }
}
