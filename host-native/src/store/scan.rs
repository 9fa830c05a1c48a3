//! Scans as SQL.
//!
//! Owns: cutting a scan into pieces that SQLite each answers by one walk along the index. Never: running them.
//!
//! Comparing with a null is neither true nor false in SQL, and a comparison of whole keys cannot be walked where a part
//! is null; so a scan that goes on behind the key (a, b) becomes `x = a AND y > b`, then `x > a`, each in index order.

use super::shape::{Path, TableShape, compare, misfit};
use crate::Failure;
use deciduous_boundary::Cell;
use std::borrow::Cow;
use std::cmp::Ordering;

/// What narrows a scan beside its prefix.
#[derive(Clone, Copy, Debug, Default)]
pub struct Range<'a> {
    pub from: Option<&'a Cell>,
    pub to: Option<&'a Cell>,
    pub after: &'a [Cell],
    pub desc: bool,
}

/// Conditions joined by AND, and the values of their parameters.
#[derive(Clone, Debug, Default)]
pub struct Piece<'a> {
    pub sql: String,
    pub values: Vec<Cow<'a, Cell>>,
}

/// One end of a range.
type End<'a> = Option<(Cow<'a, Cell>, Inclusive)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inclusive {
    Yes,
    No,
}

/// The pieces of a scan, in the order they are to be read.
pub fn pieces<'a>(
    table: &TableShape,
    path: &Path,
    prefix: &'a [Cell],
    range: &Range<'a>,
) -> Result<Vec<Piece<'a>>, Failure> {
    let order = &path.order;
    let depth = prefix.len();
    if depth > order.len() {
        return Err(misfit(format!(
            "table `{}` is asked for a prefix longer than its index",
            table.name
        )));
    }
    let bounded = range.from.is_some() || range.to.is_some();
    if bounded && depth == order.len() {
        return Err(misfit(format!(
            "table `{}` is asked for a range behind its index's last column",
            table.name
        )));
    }
    if !range.after.is_empty() && range.after.len() != order.len() {
        return Err(misfit(format!(
            "table `{}` is asked to go on behind a key of another length",
            table.name
        )));
    }
    let stored = |at: usize, cell: &'a Cell| table.compared(order[at], cell);
    let after = (0..)
        .zip(range.after)
        .map(|(at, cell)| stored(at, cell))
        .collect::<Result<Vec<_>, _>>()?;
    let mut base = Piece::default();
    let mut place = Ordering::Equal;
    for (at, cell) in prefix.iter().enumerate() {
        let cell = stored(at, cell)?;
        if let Some(after) = after.get(at) {
            place = place.then_with(|| compare(after, &cell));
        }
        base.equal(table, order[at], cell);
    }
    let end = |cell: Option<&'a Cell>, inclusive| -> Result<End<'a>, Failure> {
        cell.map(|cell| Ok((stored(depth, cell)?, inclusive)))
            .transpose()
    };
    let (from, to) = (
        end(range.from, Inclusive::Yes)?,
        end(range.to, Inclusive::No)?,
    );
    let behind = if range.desc { place.reverse() } else { place };
    if after.is_empty() || behind == Ordering::Less {
        // The key to go on behind, if any, lies before this prefix: all of the prefix is still to come.
        if depth == order.len() {
            return Ok(vec![base]);
        }
        return Ok(base.ranges(table, order[depth], &from, &to, range.desc));
    }
    if behind == Ordering::Greater {
        return Ok(Vec::new());
    }
    let mut pieces = Vec::new();
    for at in (depth..order.len()).rev() {
        if at > depth && !holds(&after[depth], &from, &to) {
            continue;
        }
        let mut piece = base.clone();
        for (column, cell) in order.iter().zip(&after).take(at).skip(depth) {
            piece.equal(table, *column, cell.clone());
        }
        let key: End<'a> = Some((after[at].clone(), Inclusive::No));
        let (mut low, mut high) = if range.desc { (None, key) } else { (key, None) };
        if at == depth {
            low = narrower(low, &from, Ordering::Greater);
            high = narrower(high, &to, Ordering::Less);
        }
        pieces.extend(piece.ranges(table, order[at], &low, &high, range.desc));
    }
    Ok(pieces)
}

/// Whether a cell lies in `from..to`.
fn holds(cell: &Cell, from: &End<'_>, to: &End<'_>) -> bool {
    from.as_ref()
        .is_none_or(|(from, _)| compare(cell, from) != Ordering::Less)
        && to
            .as_ref()
            .is_none_or(|(to, _)| compare(cell, to) == Ordering::Less)
}

/// The end that leaves less, where `side` says which way ends narrow.
fn narrower<'a>(one: End<'a>, other: &End<'a>, side: Ordering) -> End<'a> {
    match (&one, other) {
        (None, _) => other.clone(),
        (Some((a, _)), Some((b, _))) if compare(b, a) == side => other.clone(),
        _ => one,
    }
}

impl<'a> Piece<'a> {
    fn and(&mut self, table: &TableShape, column: usize, condition: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql
            .push_str(&super::shape::quoted(&table.columns[column].name));
        self.sql.push_str(condition);
    }

    fn equal(&mut self, table: &TableShape, column: usize, cell: Cow<'a, Cell>) {
        if *cell == Cell::Null {
            self.and(table, column, " IS NULL");
        } else {
            self.and(table, column, "=?");
            self.values.push(cell);
        }
    }

    fn bound(&mut self, table: &TableShape, column: usize, condition: &str, end: &End<'a>) {
        if let Some((cell, _)) = end {
            self.and(table, column, condition);
            self.values.push(cell.clone());
        }
    }

    /// This piece with a range of one more column: nulls first (or last when reading backwards), then the rest.
    fn ranges(
        self,
        table: &TableShape,
        column: usize,
        low: &End<'a>,
        high: &End<'a>,
        desc: bool,
    ) -> Vec<Piece<'a>> {
        let is_null = |end: &End<'_>| end.as_ref().is_some_and(|(cell, _)| **cell == Cell::Null);
        if is_null(high) {
            // Nothing sorts before a null.
            return Vec::new();
        }
        let low_is_open = low.is_none() || is_null(low);
        let behind_null = is_null(low)
            && low
                .as_ref()
                .is_some_and(|(_, inclusive)| *inclusive == Inclusive::No);
        let nulls = table.columns[column].nullable && low_is_open && !behind_null;
        if nulls && high.is_none() {
            return vec![self];
        }
        let mut rest = self.clone();
        if !low_is_open {
            let inclusive = low
                .as_ref()
                .is_some_and(|(_, inclusive)| *inclusive == Inclusive::Yes);
            rest.bound(table, column, if inclusive { ">=?" } else { ">?" }, low);
        } else if behind_null && high.is_none() && table.columns[column].nullable {
            rest.and(table, column, " IS NOT NULL");
        }
        rest.bound(table, column, "<?", high);
        if !nulls {
            return vec![rest];
        }
        let mut null = self;
        null.and(table, column, " IS NULL");
        if desc {
            vec![rest, null]
        } else {
            vec![null, rest]
        }
    }
}

/// The statement of a piece; its last parameter is the limit.
pub fn select(
    list: &str,
    table: &TableShape,
    path: &Path,
    piece: &Piece<'_>,
    desc: bool,
) -> String {
    let mut sql = format!("SELECT {list} FROM {} {}", table.sql, path.clause);
    push_where(&mut sql, piece);
    sql.push_str(" ORDER BY ");
    for (at, &column) in path.order.iter().enumerate() {
        if at > 0 {
            sql.push(',');
        }
        sql.push_str(&super::shape::quoted(&table.columns[column].name));
        if desc {
            sql.push_str(" DESC");
        }
    }
    sql.push_str(" LIMIT ?");
    sql
}

/// The statement that counts the rows of a piece.
pub fn count(table: &TableShape, path: &Path, piece: &Piece<'_>) -> String {
    let mut sql = format!("SELECT count(*) FROM {} {}", table.sql, path.clause);
    push_where(&mut sql, piece);
    sql
}

fn push_where(sql: &mut String, piece: &Piece<'_>) {
    if !piece.sql.is_empty() {
        sql.push_str(" WHERE ");
        sql.push_str(&piece.sql);
    }
}
