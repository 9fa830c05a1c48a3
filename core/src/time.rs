//! Times: RFC 3339 in and out. The wall clock is for showing; it decides nothing.

use deciduous_boundary::Millis;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime, PrimitiveDateTime};

/// `2026-01-15T09:00:00.000Z`.
#[must_use]
pub fn show(at: Millis) -> String {
    let format =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    moment(at)
        .and_then(|at| at.format(&format).ok())
        .unwrap_or_default()
}

/// `2026-01-15`, in UTC.
#[must_use]
pub fn show_day(at: Millis) -> String {
    moment(at)
        .and_then(|at| at.format(&format_description!("[year]-[month]-[day]")).ok())
        .unwrap_or_default()
}

/// `2026-01-15 09:00`, in UTC.
#[must_use]
pub fn show_minute(at: Millis) -> String {
    moment(at)
        .and_then(|at| {
            at.format(&format_description!("[year]-[month]-[day] [hour]:[minute]"))
                .ok()
        })
        .unwrap_or_default()
}

/// An imported time's own text where it has one.
#[must_use]
pub fn shown(at: Millis, text: Option<&str>) -> String {
    text.map_or_else(|| show(at), str::to_owned)
}

/// Reads a date (midnight UTC), an RFC 3339 time, or one without a zone (taken as UTC, as SQLite writes it).
#[must_use]
pub fn read(text: &str) -> Option<Millis> {
    let text = text.trim();
    let at = OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .or_else(|| {
            let unzoned = text.replacen(' ', "T", 1);
            let format = format_description!(
                "[year]-[month]-[day]T[hour]:[minute]:[second][optional [.[subsecond]]]"
            );
            PrimitiveDateTime::parse(&unzoned, &format)
                .ok()
                .map(PrimitiveDateTime::assume_utc)
        })
        .or_else(|| {
            Date::parse(text, &format_description!("[year]-[month]-[day]"))
                .ok()
                .map(|day| day.midnight().assume_utc())
        })?;
    Millis::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

fn moment(at: Millis) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()
}

#[cfg(test)]
mod tests {
    use super::{read, show};

    #[test]
    fn what_is_shown_is_read_back() {
        for text in ["2026-01-15T09:00:00.123Z", "1969-12-31T23:59:59.999Z"] {
            assert_eq!(read(text).map(show).as_deref(), Some(text));
        }
    }

    #[test]
    fn the_forms_that_people_and_stores_write() {
        let day = read("2025-12-05");
        assert_eq!(day, read("2025-12-05T00:00:00Z"));
        assert_eq!(day, read("2025-12-05 00:00:00"));
        assert_eq!(
            read("2025-12-05T17:09:17.953137-05:00")
                .map(show)
                .as_deref(),
            Some("2025-12-05T22:09:17.953Z")
        );
        for bad in [
            "",
            "yesterday",
            "2025-13-01",
            "2025-12-5",
            "05/12/2025",
            "2025-02-30",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
