//! What was made from what: a step whose inputs have the digest of the last time is not run again.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// The digest of some inputs.
#[derive(Default)]
pub struct Inputs(Sha256);

impl Inputs {
    pub fn text(mut self, text: &str) -> Self {
        self.part(text.as_bytes());
        self
    }

    pub fn file(mut self, path: &Path) -> Result<Self> {
        let bytes =
            fs::read(path).with_context(|| format!("`{}` is not readable", path.display()))?;
        self.part(&bytes);
        Ok(self)
    }

    /// With its length, so that no two lists of parts are one.
    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub fn digest(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// Beside `output`: the digest of what it was made from.
pub fn is_fresh(output: &Path, digest: &str) -> bool {
    output.exists() && fs::read_to_string(stamp_of(output)).is_ok_and(|stamp| stamp == digest)
}

pub fn mark_fresh(output: &Path, digest: &str) -> Result<()> {
    fs::write(stamp_of(output), digest)?;
    Ok(())
}

fn stamp_of(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".stamp");
    name.into()
}

/// Writes a file only when its content changes, so that nothing which depends on it is built again for nothing.
/// Says whether it wrote.
pub fn write_if_changed(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("`{}` is not writable", path.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let one = Inputs::default().text("ab").text("c").digest();
        let other = Inputs::default().text("a").text("bc").digest();
        assert_ne!(one, other);
    }

    #[test]
    fn an_output_is_fresh_for_its_own_inputs_only() {
        let folder = std::env::temp_dir().join(format!("xtask-stamp-{}", std::process::id()));
        let output = folder.join("output");
        assert!(write_if_changed(&output, b"1").expect("written"));
        assert!(!write_if_changed(&output, b"1").expect("compared"));
        assert!(!is_fresh(&output, "digest"));
        mark_fresh(&output, "digest").expect("marked");
        assert!(is_fresh(&output, "digest"));
        assert!(!is_fresh(&output, "another"));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
