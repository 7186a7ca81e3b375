//! Faults of files and directories: missing, unreadable, not JSON, duplicate.

use std::ops::Range;

use super::{Code, Faults, SourceLocation, quoted};
use crate::code::FILE_BYTES_MAX;
use crate::source::ReadFault;
use crate::source::json::SyntaxFault;
use crate::source::text::Text;

const LEFT_OUT_FIX: &str =
    "keep data in a folder named in `capabilities.files`, and read it with `context.files`";

impl Faults {
    pub(crate) fn missing_file(&mut self, dir: &str, name: &str, fix: &str) {
        self.add(Code::T001, SourceLocation::whole(dir), format!("`{name}` is missing"), fix);
    }

    pub(crate) fn no_tool(&mut self, dir: &str, is_empty: bool) {
        let what = match is_empty {
            true => "the folder is empty",
            false => "the folder has none of a tool's files",
        };
        let name = dir.rsplit('/').next().unwrap_or_default();
        let fix = format!(
            "delete it, rename it to `_{name}` if tools only use it, or create a tool with `ghosthand new`"
        );
        self.add(Code::T104, SourceLocation::whole(dir), what, fix);
    }

    pub(crate) fn unreadable(&mut self, path: &str, why: &str) {
        let fix = "replace it with a UTF-8 text file that this user may read";
        self.add(
            Code::T002,
            SourceLocation::whole(path),
            format!("the file cannot be read: {why}"),
            fix,
        );
    }

    pub(crate) fn file_too_large(&mut self, path: &str, bytes_max: u64) {
        let what = format!("the file is larger than {} KiB", bytes_max >> 10);
        self.add(Code::T003, SourceLocation::whole(path), what, "shorten or split it");
    }

    /// The reason why a file could not be read.
    pub(crate) fn not_read(&mut self, path: &str, bytes_max: u64, fault: &ReadFault) {
        match fault {
            ReadFault::TooLarge => self.file_too_large(path, bytes_max),
            ReadFault::Unreadable(why) => self.unreadable(path, why),
        }
    }

    pub(crate) fn too_many_shared_files(&mut self, dir: &str, max: usize) {
        let what = format!("the `_` folders contain more than {max} files");
        let fix = "move data to a folder named in `capabilities.files`";
        self.add(Code::T003, SourceLocation::whole(dir), what, fix);
    }

    pub(crate) fn left_out_file(&mut self, path: &str, fault: &ReadFault) {
        let why = match fault {
            ReadFault::TooLarge => format!("it is larger than {} MiB", FILE_BYTES_MAX >> 20),
            ReadFault::Unreadable(why) => why.clone(),
        };
        let what = format!("Python tools will not find this file: {why}");
        self.add(Code::T086, SourceLocation::whole(path), what, LEFT_OUT_FIX);
    }

    pub(crate) fn left_out_files(
        &mut self,
        dir: &str,
        count: usize,
        files_max: usize,
        bytes_max: usize,
    ) {
        let mib = bytes_max >> 20;
        let what = format!(
            "Python tools will not find {count} of the files here: \
             they get at most {files_max} files of {mib} MiB together"
        );
        self.add(Code::T086, SourceLocation::whole(dir), what, LEFT_OUT_FIX);
    }

    pub(crate) fn too_many_files(&mut self, dir: &str, count: usize, max: usize) {
        let what = format!("the tool has {count} additional files; at most {max} are read");
        let fix = "move data to a folder named in `capabilities.files`";
        self.add(Code::T003, SourceLocation::whole(dir), what, fix);
    }

    pub(crate) fn bad_json(&mut self, text: &Text, fault: &SyntaxFault) {
        let what = format!("this is not valid JSON: {}", fault.what);
        self.add(Code::T004, text.place(fault.span.clone()), what, fault.fix);
    }

    pub(crate) fn duplicate_key(&mut self, text: &Text, key_span: Range<usize>, key: &str) {
        let what = format!("the key {} appears twice in one object", quoted(key));
        let fix = "keep one of the two; programs disagree on which one counts";
        self.add(Code::T005, text.place(key_span), what, fix);
    }

    pub(crate) fn inexact_number(&mut self, text: &Text, span: Range<usize>) {
        let what = format!("{} cannot be represented exactly", quoted(&text.content[span.clone()]));
        let fix = "use an integer of at most 64 bits, or at most 17 digits with a decimal point";
        self.add(Code::T006, text.place(span), what, fix);
    }

    pub(crate) fn two_handlers(&mut self, dir: &str) {
        let what = "there are two handlers, `handler.js` and `handler.py`";
        self.add(Code::T007, SourceLocation::whole(dir), what, "keep one of them");
    }

    pub(crate) fn duplicate_id(&mut self, dir: &str, id: &str, first: &str) {
        let what = format!("`{id}` is also the id of `{first}`");
        self.add(Code::T008, SourceLocation::whole(dir), what, "rename one of the two directories");
    }

    pub(crate) fn own_id(&mut self, dir: &str, id: &str) {
        let what = format!("`{id}` is the id of a built-in tool");
        let fix = "rename the directory and its `toolId`; two tools with one name cannot be distinguished";
        self.add(Code::T026, SourceLocation::whole(dir), what, fix);
    }

    pub(crate) fn bad_directory_name(&mut self, dir: &str, why: &str) {
        let what = format!("the directory's name cannot be a tool id: {why}");
        let fix = "rename it, with `-` between words; a folder that is not a tool starts with `_`";
        self.add(Code::T009, SourceLocation::whole(dir), what, fix);
    }
}
