//! Shows a new profile, takes corrections, and saves it.
//!
//! Must hold: a field that was set by hand keeps its value when the model corrects others; a
//! described profile is replaced by a less complete one only after a yes to exactly that.

use std::sync::Arc;

use contract::Model;
use pen::analysis::{ProfileBuilder, correction, correction_input};
use pen::intent::Intent;
use pen::profile::Kind;
use pen::stylometry::Stylometry;
use pen::{Now, Profile};
use serde_json::{Map, Value};

use super::super::context::PenContext;
use super::super::line_editor::Lines;
use super::super::render;
use super::describe;
use crate::exit::{CommandResult, ExitStatus, Failure};
use crate::render::printer::{Printer, cyan, dim};

/// What may replace an existing profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands::pen) enum Saving {
    /// Only a profile that says as much.
    AsComplete,
    /// Any: `--less-complete`.
    EvenLessComplete,
}

/// A profile under correction.
pub(super) struct Correction<'a> {
    pub ctx: &'a PenContext,
    pub sketch: ProfileBuilder<'a>,
    pub habits: Stylometry,
    pub model: Option<Arc<dyn Model>>,
    pub saving: Saving,
}

/// The profile so far: what the model described, and what was set by hand.
#[derive(Clone)]
struct Corrected {
    profile: Profile,
    described: Option<Value>,
    by_hand: Map<String, Value>,
}

impl Correction<'_> {
    pub(super) fn finish(
        &self,
        described: Option<Value>,
        at_once: bool,
        printer: &mut Printer,
    ) -> CommandResult {
        let ctx = self.ctx;
        let mut state = self.corrected(described, Map::new())?;
        self.show(&state.profile, printer)?;
        if at_once {
            return self.save(&state.profile, None, printer);
        }
        let mut lines = Lines::open()?;
        let mut before: Vec<Corrected> = Vec::new();
        loop {
            printer.message(ctx.lang.say("init.invite"))?;
            let Some(line) = lines.read()? else {
                printer.message(ctx.lang.say("init.not_saved"))?;
                return Ok(ExitStatus::Faults);
            };
            match Intent::of(&line) {
                Some(Intent::Save | Intent::Yes | Intent::Update | Intent::Nothing) => {
                    return self.save(&state.profile, Some(&mut lines), printer);
                }
                Some(Intent::Stop | Intent::Later) => {
                    printer.message(ctx.lang.say("init.cancelled"))?;
                    return Ok(ExitStatus::Success);
                }
                Some(Intent::Undo) => match before.pop() {
                    Some(earlier) => {
                        state = earlier;
                        self.show(&state.profile, printer)?;
                    }
                    None => printer.message(ctx.lang.say("session.nothing_to_undo"))?,
                },
                Some(
                    Intent::Help
                    | Intent::No
                    | Intent::Redo
                    | Intent::StartOver
                    | Intent::EditByHand
                    | Intent::SaveToNotion
                    | Intent::Unclear,
                ) => printer.message(ctx.lang.say("init.help"))?,
                None => {
                    if let Some(changed) = self.correct(&state, &line, printer)? {
                        before.push(std::mem::replace(&mut state, changed));
                        self.show(&state.profile, printer)?;
                    }
                }
            }
        }
    }

    /// Shows a profile with the version that it will have when it is saved.
    fn show(&self, profile: &Profile, printer: &mut Printer) -> Result<(), Failure> {
        let ctx = self.ctx;
        let old = ctx.workspace().read(self.sketch.name).ok();
        let next = old.and_then(|old| profile.after(&old, ctx.lang, Now::read()).ok());
        render::show(next.as_ref().unwrap_or(profile), ctx.lang, printer)?;
        Ok(())
    }

    /// A profile from a description, with the fields that were set by hand.
    fn corrected(
        &self,
        described: Option<Value>,
        by_hand: Map<String, Value>,
    ) -> Result<Corrected, Failure> {
        let fix = self.ctx.lang.say("init.run_again");
        let made = self.sketch.profile(&self.habits, described.as_ref());
        let profile = made.map_err(|fault| Failure::user(fault, fix))?;
        let profile = match by_hand.is_empty() {
            true => profile,
            false => profile.with_fields(&by_hand).map_err(|fault| Failure::user(fault, fix))?,
        };
        Ok(Corrected { profile, described, by_hand })
    }

    /// Applies one correction, by field or by the model. On failure the profile stays as it was.
    fn correct(
        &self,
        state: &Corrected,
        line: &str,
        printer: &mut Printer,
    ) -> Result<Option<Corrected>, Failure> {
        let ctx = self.ctx;
        if let Some(changes) = correction(line) {
            return match state.profile.with_fields(&changes) {
                Ok(profile) => {
                    let mut by_hand = state.by_hand.clone();
                    by_hand.extend(changes);
                    Ok(Some(Corrected { profile, described: state.described.clone(), by_hand }))
                }
                Err(fault) => {
                    let why = fault.text(ctx.lang);
                    printer.message(ctx.lang.fill("init.not_corrected", &[("why", &why)]))?;
                    Ok(None)
                }
            };
        }
        let (Some(model), Some(before)) = (&self.model, &state.described) else {
            printer.message(ctx.lang.say("init.correct_by_field"))?;
            return Ok(None);
        };
        let input = correction_input(before, line);
        match describe(ctx, model, &self.habits, &input, printer)? {
            Some(after) => self.corrected(Some(after), state.by_hand.clone()).map(Some),
            None => Ok(None),
        }
    }

    fn save(
        &self,
        profile: &Profile,
        lines: Option<&mut Lines>,
        printer: &mut Printer,
    ) -> CommandResult {
        let ctx = self.ctx;
        let old = ctx.workspace().read(self.sketch.name).ok();
        let profile = match &old {
            Some(old) => {
                if !self.may_replace(old, profile, lines, printer)? {
                    return Ok(ExitStatus::Faults);
                }
                let next = profile.after(old, ctx.lang, Now::read());
                &next.map_err(|fault| Failure::user(fault, ctx.lang.say("init.run_again")))?
            }
            None => profile,
        };
        let saved = ctx.workspace().replace(profile, Now::read());
        saved.map_err(|fault| ctx.unreadable(fault))?;
        let path = ctx.workspace().profile_file(self.sketch.name);
        printer.message(format!("{} {}", ctx.lang.say("session.saved"), cyan(path.display())))?;
        if old.is_some() {
            printer.message(dim(ctx.lang.say("init.old_kept")))?;
        }
        if self.sketch.kind == Kind::Reference {
            printer.message(dim(ctx.lang.say("init.techniques")))?;
        }
        Ok(ExitStatus::Success)
    }

    /// May the new profile take the place of the old one? A less complete one needs its own yes.
    fn may_replace(
        &self,
        old: &Profile,
        new: &Profile,
        lines: Option<&mut Lines>,
        printer: &mut Printer,
    ) -> Result<bool, Failure> {
        let lost = old.lost_in(new);
        if lost.is_empty() || self.saving == Saving::EvenLessComplete {
            return Ok(true);
        }
        let ctx = self.ctx;
        let fields = lost.join(", ");
        printer.message(ctx.lang.fill("init.less_complete", &[("fields", &fields)]))?;
        let Some(lines) = lines else {
            printer.message(ctx.lang.say("init.less_complete_flag"))?;
            return Ok(false);
        };
        printer.message(ctx.lang.say("init.replace_anyway"))?;
        let answer = lines.read()?.unwrap_or_default();
        let agreed = Intent::is_yes(&answer);
        if !agreed {
            printer.message(ctx.lang.say("session.profile_unchanged"))?;
        }
        Ok(agreed)
    }
}
