//! What stands after a command's name.

use std::cell::RefCell;

use anyhow::{Result, bail};

/// The words that no one has taken yet. A command takes what it knows and ends with [`Options::none_left`], so that a
/// misspelt flag is an error and not a wish that nobody heard.
pub struct Options {
    words: RefCell<Vec<String>>,
}

impl Options {
    pub fn new(words: impl Iterator<Item = String>) -> Self {
        Self {
            words: RefCell::new(words.collect()),
        }
    }

    /// Whether `flag` stands there.
    pub fn flag(&self, flag: &str) -> bool {
        let mut words = self.words.borrow_mut();
        let before = words.len();
        words.retain(|word| word != flag);
        words.len() < before
    }

    /// Every word that follows `flag`.
    pub fn values(&self, flag: &str) -> Result<Vec<String>> {
        let mut words = self.words.borrow_mut();
        let mut values = Vec::new();
        while let Some(at) = words.iter().position(|word| word == flag) {
            words.remove(at);
            if at == words.len() {
                bail!("`{flag}` wants a value");
            }
            values.push(words.remove(at));
        }
        Ok(values)
    }

    /// All that is left, for commands that pass it on.
    pub fn rest(&self) -> Vec<String> {
        self.words.take()
    }

    pub fn none_left(&self) -> Result<()> {
        match self.words.borrow().first() {
            Some(word) => bail!("`{word}` is not understood here; see `cargo xtask help`"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Options {
        Options::new(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn takes_flags_and_values_in_any_order() {
        let options = options("--only a --list --only b");
        assert!(options.flag("--list"));
        assert_eq!(options.values("--only").expect("values"), ["a", "b"]);
        assert!(options.none_left().is_ok());
    }

    #[test]
    fn leaves_nothing_unheard() {
        assert!(options("--lits").none_left().is_err());
        assert!(options("--only").values("--only").is_err());
    }
}
