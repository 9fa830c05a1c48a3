//! What two runs may call differently: ids, hashes and times, numbered in the order in which each run first says them.
//!
//! Owns: finding them in text, numbering, and translating one run's into the other's. Never: what they stand for.
//!
//! ```text
//! "id": "019bc0e2-1280-762b-b951-44a39f44c19f" -> "id": "<id 1>"
//! ```

/// The names one run has used so far.
#[derive(Clone, Debug, Default)]
pub struct Names {
    ids: Vec<String>,
    hashes: Vec<String>,
    times: Vec<String>,
    /// Cursors that hold a time.
    marks: Vec<String>,
}

/// What stands at the beginning of a text.
enum Found<'a> {
    Id(&'a str),
    Hash(&'a str),
    Time(&'a str),
    Mark(&'a str),
    /// A day or a minute: two runs are too near to each other for these to be numbered.
    Moment(&'a str),
}

impl Names {
    /// Takes a hash that both runs are told under its own name.
    pub fn know(&mut self, hash: &str) {
        number(&mut self.hashes, hash);
    }

    /// The text with each name replaced by its kind and number.
    pub fn plain(&mut self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        let (mut rest, mut before) = (text, ' ');
        while let Some(first) = rest.chars().next() {
            // A name stands alone: what is part of a longer word is none. `\n` in JSON is a border too.
            let found = if before.is_ascii_alphanumeric() && !plain.ends_with("\\n") {
                None
            } else {
                find(rest)
            };
            let (replaced, taken) = match found {
                Some(Found::Id(id)) => (format!("<id {}>", number(&mut self.ids, id)), id.len()),
                Some(Found::Time(time)) => (
                    format!("<time {}>", number(&mut self.times, time)),
                    time.len(),
                ),
                Some(Found::Moment(moment)) => ("<moment>".to_owned(), moment.len()),
                Some(Found::Mark(mark)) => (
                    format!("<cursor {}>", number(&mut self.marks, mark)),
                    mark.len(),
                ),
                Some(Found::Hash(hash)) => (self.hash(hash), hash.len()),
                None => (first.to_string(), first.len_utf8()),
            };
            plain.push_str(&replaced);
            before = rest
                .get(..taken)
                .and_then(|taken| taken.chars().last())
                .unwrap_or(' ');
            rest = rest.get(taken..).unwrap_or_default();
        }
        plain
    }

    /// A full hash gets a number; a shorter one is named after what it begins.
    fn hash(&mut self, hash: &str) -> String {
        if matches!(hash.len(), 40 | 64) {
            return format!("<hash {}>", number(&mut self.hashes, hash));
        }
        let begins = |names: &[String]| names.iter().position(|name| name.starts_with(hash));
        match (begins(&self.hashes), begins(&self.ids)) {
            (Some(at), _) => format!("<hash {}: {} digits>", at + 1, hash.len()),
            // Which of several it begins is not the same in another run.
            (_, Some(_)) => format!("<part of an id: {} digits>", hash.len()),
            (None, None) => hash.to_owned(),
        }
    }

    /// What `text` says in this run's names, said in those of `other`. A part of one id becomes the whole id, since ids
    /// made in one second begin alike; a part of several becomes as much of what theirs have in common.
    #[must_use]
    pub fn translate(&self, text: &str, other: &Names) -> String {
        let mut text = text.to_owned();
        let pairs = [
            (&self.hashes, &other.hashes),
            (&self.ids, &other.ids),
            (&self.marks, &other.marks),
        ];
        for (ours, theirs) in pairs
            .into_iter()
            .flat_map(|(ours, theirs)| ours.iter().zip(theirs))
        {
            text = text.replace(ours, theirs);
        }
        let mut said = String::with_capacity(text.len());
        // A part of an id stands between two quotes, alone or behind `@`.
        for (at, piece) in text.split('"').enumerate() {
            if at > 0 {
                said.push('"');
            }
            let (mark, part) = match piece.strip_prefix('@') {
                Some(part) => ("@", part),
                None => ("", piece),
            };
            said.push_str(mark);
            said.push_str(self.part(part, other).unwrap_or(part));
        }
        said
    }

    /// The beginning of one of this run's ids, in the names of `other`.
    fn part<'a>(&self, part: &str, other: &'a Names) -> Option<&'a str> {
        let digits = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
        if !(6..36).contains(&part.len()) || !part.bytes().all(digits) {
            return None;
        }
        let mut begun = self
            .ids
            .iter()
            .zip(&other.ids)
            .filter(|(ours, _)| ours.starts_with(part));
        let (_, theirs) = begun.next()?;
        match begun.next() {
            None => Some(theirs),
            Some(_) => theirs.get(..part.len()),
        }
    }
}

fn number(known: &mut Vec<String>, name: &str) -> usize {
    if let Some(at) = known.iter().position(|other| other == name) {
        return at + 1;
    }
    known.push(name.to_owned());
    known.len()
}

/// `d` stands for a digit, `x` for a hexadecimal digit in lower case, everything else for itself.
const ID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
const TIMES: [&str; 2] = ["dddd-dd-ddTdd:dd:dd.dddZ", "dddd-dd-ddTdd:dd:ddZ"];
const MARK: &str = "kddddddddddddd";
const MOMENTS: [&str; 2] = ["dddd-dd-dd dd:dd", "dddd-dd-dd"];

fn find(text: &str) -> Option<Found<'_>> {
    let matched = |form: &str| {
        let fits = form.len() <= text.len()
            && form
                .bytes()
                .zip(text.bytes())
                .all(|(form, byte)| match form {
                    b'd' => byte.is_ascii_digit(),
                    b'x' => is_hex(byte),
                    other => byte == other,
                });
        fits.then(|| text.get(..form.len())).flatten()
    };
    if let Some(id) = matched(ID) {
        return Some(Found::Id(id));
    }
    if let Some(time) = TIMES.iter().find_map(|form| matched(form)) {
        return Some(Found::Time(time));
    }
    if let Some(mark) = matched(MARK) {
        return Some(Found::Mark(mark));
    }
    if let Some(moment) = MOMENTS.iter().find_map(|form| matched(form)) {
        return Some(Found::Moment(moment));
    }
    let length = text.bytes().take_while(|byte| is_hex(*byte)).count();
    let ends = !text
        .as_bytes()
        .get(length)
        .is_some_and(u8::is_ascii_alphanumeric);
    (ends && (6..=64).contains(&length))
        .then(|| text.get(..length))
        .flatten()
        .map(Found::Hash)
}

fn is_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::Names;

    const ONE: &str = "019bc0e2-1280-762b-b951-44a39f44c19f";
    const TWO: &str = "019bc0e2-fce0-7540-b216-577aa3f33f22";

    #[test]
    fn two_runs_that_say_the_same_are_the_same() {
        let (mut first, mut second) = (Names::default(), Names::default());
        let hash = "4be1c9d7a05e3f2816c0d4b79a8e5f3c21706d9e";
        let said =
            format!("{ONE} {hash}\\n{ONE} at 2026-01-15T09:00:00.000Z, 4be1c9d7a05e, 2026-01-15");
        let other = said
            .replace(ONE, TWO)
            .replace("4be1c9d7a05e", "0be1c9d7a05e")
            .replace("01-15", "02-16");
        assert_eq!(first.plain(&said), second.plain(&other));
        assert!(
            first
                .plain(&said)
                .starts_with("<id 1> <hash 1>\\n<id 1> at <time 1>, <hash 1: 12 digits>")
        );
        assert_ne!(
            first.plain(TWO),
            second.plain(TWO),
            "another id where the same was is seen"
        );
    }

    #[test]
    fn names_are_translated_whole_and_in_part() {
        let (mut first, mut second) = (Names::default(), Names::default());
        first.plain(ONE);
        second.plain(TWO);
        let args = format!(r#"{{"a":"{ONE}","b":"@019bc0","c":"019bc0e2-1280","d":"019bd"}}"#);
        let other = format!(r#"{{"a":"{TWO}","b":"@{TWO}","c":"{TWO}","d":"019bd"}}"#);
        assert_eq!(first.translate(&args, &second), other);
        let (next, later) = (
            "019bc0e2-1281-762b-b951-44a39f44c19f",
            "019bc0e2-fce1-762b-b951-44a39f44c19f",
        );
        first.plain(&format!("{next} k1768467780000.4"));
        second.plain(&format!("{later} k1796087202731.4"));
        let args = r#"["019bc0e2","@019bc0e2-1281","k1768467780000.4"]"#;
        let other = format!(r#"["019bc0e2","@{later}","k1796087202731.4"]"#);
        assert_eq!(first.translate(args, &second), other);
        assert_eq!(first.plain("`019bc0`"), second.plain("`019bc0`"));
    }
}
