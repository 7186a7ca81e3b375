//! The table of fault codes. Each has a page in `goldens/`, which is its explanation and
//! its test at once.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// Whether a fault forbids a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

macro_rules! codes {
    ($($code:ident $severity:ident),+ $(,)?) => {
        /// The number of a fault, as in `T021`. Numbers are never reused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum Code { $($code),+ }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$code),+];

            pub fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity),+ }
            }

            /// The page that explains the fault, with a bad and a good example.
            pub fn page(self) -> &'static str {
                match self {
                    $(Code::$code => include_str!(
                        concat!("../../goldens/", stringify!($code), ".md")
                    )),+
                }
            }

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$code => stringify!($code)),+ }
            }
        }
    };
}

codes! {
    T001 Error, T002 Error, T003 Error, T004 Error, T005 Error, T006 Error, T007 Error,
    T008 Error, T009 Error,
    T010 Error, T011 Error, T012 Error, T013 Error, T014 Error, T015 Error, T016 Error,
    T017 Error, T018 Error, T019 Error, T020 Error,
    T021 Error, T022 Error, T023 Warning, T024 Error, T025 Error, T026 Error,
    T030 Error, T031 Error, T032 Warning, T033 Error, T034 Warning, T035 Error, T036 Error,
    T037 Error,
    T040 Error, T041 Error, T042 Error, T043 Warning, T044 Error, T045 Error, T046 Warning,
    T047 Error, T048 Error, T049 Error, T050 Error, T051 Error, T052 Error, T053 Warning,
    T054 Error,
    T060 Error, T061 Error, T062 Error, T063 Error,
    T070 Error, T071 Warning, T072 Warning, T073 Error, T074 Warning,
    T080 Error, T081 Error, T082 Error, T083 Error, T084 Error, T085 Warning, T086 Warning,
    T087 Warning,
    T090 Error, T091 Error, T092 Error, T093 Error, T094 Warning, T095 Warning, T096 Error,
    T097 Error, T098 Warning, T099 Error, T100 Error, T101 Error, T102 Warning, T103 Warning,
    T104 Warning, T110 Warning,
}

impl Code {
    /// The title of the page: what is wrong, in a few words.
    pub fn title(self) -> &'static str {
        let first = self.page().lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is not a fault code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no fault `{0}`")]
pub struct UnknownCode(String);

impl FromStr for Code {
    type Err = UnknownCode;
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        let wanted = text.to_ascii_uppercase();
        let found = Code::ALL.iter().find(|code| code.as_str() == wanted);
        found.copied().ok_or_else(|| UnknownCode(text.to_owned()))
    }
}
