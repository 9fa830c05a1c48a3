//! Reads packed columns out of an attachment; see `ColumnKind` for their layout.

use crate::cx::slice;
use deciduous_boundary::ColumnsFact;

/// Marks a null of a `Dict` column.
const NULL_CODE: u16 = u16::MAX;

/// One fact's columns.
pub(crate) struct Columns<'a> {
    fact: &'a ColumnsFact,
    attachment: &'a [u8],
}

impl<'a> Columns<'a> {
    pub(crate) fn new(fact: &'a ColumnsFact, attachment: &'a [u8]) -> Self {
        Columns { fact, attachment }
    }

    pub(crate) fn rows(&self) -> usize {
        self.fact.rows as usize
    }

    fn chunks<const N: usize>(&self, column: usize) -> Result<&'a [[u8; N]], String> {
        let bytes = self
            .fact
            .at
            .get(column)
            .and_then(|at| slice(self.attachment, *at))
            .ok_or("a column outside the attachment")?;
        let (chunks, rest) = bytes.as_chunks::<N>();
        if chunks.len() == self.rows() && rest.is_empty() {
            Ok(chunks)
        } else {
            Err(format!("column {column} has another length"))
        }
    }

    pub(crate) fn u32s(
        &self,
        column: usize,
    ) -> Result<impl Iterator<Item = u32> + use<'a>, String> {
        Ok(self
            .chunks::<4>(column)?
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes)))
    }

    pub(crate) fn i64s(
        &self,
        column: usize,
    ) -> Result<impl Iterator<Item = i64> + use<'a>, String> {
        Ok(self
            .chunks::<8>(column)?
            .iter()
            .map(|bytes| i64::from_le_bytes(*bytes)))
    }

    pub(crate) fn present(
        &self,
        column: usize,
    ) -> Result<impl Iterator<Item = bool> + use<'a>, String> {
        Ok(self.chunks::<1>(column)?.iter().map(|[byte]| *byte != 0))
    }

    /// A dictionary column with each text replaced by what `code` makes of it; `null` where the cell is null.
    pub(crate) fn dict<T: Copy>(
        &self,
        column: usize,
        null: T,
        code: &mut dyn FnMut(&str) -> T,
    ) -> Result<impl Iterator<Item = T> + use<'a, T>, String> {
        let codes: Vec<T> = self
            .fact
            .dicts
            .get(column)
            .ok_or("a column without its dictionary")?
            .iter()
            .map(|text| code(text))
            .collect();
        Ok(self
            .chunks::<2>(column)?
            .iter()
            .map(move |bytes| match u16::from_le_bytes(*bytes) {
                NULL_CODE => null,
                position => codes.get(usize::from(position)).copied().unwrap_or(null),
            }))
    }
}
