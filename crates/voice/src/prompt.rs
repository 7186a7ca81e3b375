//! The instructions of a voice session: how to speak, and one summary for each tool.
//!
//! In: the system text and the tools' summaries. Out: the text with its size. Must hold: only
//! summaries go in, never whole documents, because every word delays the first sound; what does
//! not fit is left out and named.

/// A tool and its `doc_summary.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSummary<'a> {
    pub tool: &'a str,
    pub summary: &'a str,
}

/// The instructions, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VoicePrompt {
    pub text: String,
    /// Of the text, in bytes.
    pub bytes: usize,
    /// Tools whose summary did not fit.
    pub left_out: Vec<String>,
}

/// How the model speaks; in front of everything else.
const MANNER: &str = "\
You are talking with a person by voice. Use short, plain sentences that are easy to hear. No lists, \
no markup, no addresses read letter by letter unless asked.\n\
Silence is fine: do not fill it. When the person speaks, stop at once and listen.\n\
Say that something is done only after the result of its tool says so.\n";

/// A summary is cut at this length; the build warns before.
const SUMMARY_CHARS_MAX: usize = 500;

/// Makes the instructions, with summaries up to `bytes_max`.
pub fn voice_prompt(system: &str, tools: &[ToolSummary<'_>], bytes_max: usize) -> VoicePrompt {
    let mut text = MANNER.to_owned();
    if !system.trim().is_empty() {
        text.push_str(system.trim());
        text.push('\n');
    }
    let mut left_out = Vec::new();
    for ToolSummary { tool, summary } in tools {
        let summary: String = summary.trim().chars().take(SUMMARY_CHARS_MAX).collect();
        let line = format!("- {tool}: {}\n", summary.replace('\n', " "));
        match text.len() + line.len() <= bytes_max {
            true => text.push_str(&line),
            false => left_out.push((*tool).to_owned()),
        }
    }
    VoicePrompt { bytes: text.len(), text, left_out }
}

#[cfg(test)]
mod tests;
