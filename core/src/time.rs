//! Times: RFC 3339 in and out. The wall clock is for showing; it decides nothing.

use deciduous_boundary::Millis;
use time::format_description::well_known::Rfc3339;
use time::{Month, OffsetDateTime};

/// The last moment that can be written: the end of the year 9999.
pub const LAST: Millis = 253_402_300_799_999;

/// `2026-01-15T09:00:00.000Z`.
#[must_use]
pub fn show(at: Millis) -> String {
    parts(at).map_or_else(String::new, |(day, time)| format!("{day}T{time}Z"))
}

/// `2026-01-15`, in UTC.
#[must_use]
pub fn show_day(at: Millis) -> String {
    parts(at).map_or_else(String::new, |(day, _)| day)
}

/// `2026-01-15 09:00`, in UTC.
#[must_use]
pub fn show_minute(at: Millis) -> String {
    parts(at).map_or_else(String::new, |(day, time)| {
        format!("{day} {}", time.get(..5).unwrap_or_default())
    })
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
    let whole = if text.len() == "2026-01-15".len() {
        format!("{text}T00:00:00Z")
    } else {
        let zoned = text
            .get(11..)
            .is_some_and(|time| time.ends_with(['Z', 'z']) || time.contains(['+', '-']));
        let text = text.replacen(' ', "T", 1);
        if zoned { text } else { format!("{text}Z") }
    };
    let at = OffsetDateTime::parse(&whole, &Rfc3339).ok()?;
    Millis::try_from(at.unix_timestamp_nanos().div_euclid(1_000_000)).ok()
}

/// The day and the time of day with milliseconds.
fn parts(at: Millis) -> Option<(String, String)> {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(at) * 1_000_000).ok()?;
    let (year, month, day): (i32, Month, u8) = at.to_calendar_date();
    let (hour, minute, second, milli) = at.to_hms_milli();
    Some((
        format!("{year:04}-{:02}-{day:02}", u8::from(month)),
        format!("{hour:02}:{minute:02}:{second:02}.{milli:03}"),
    ))
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
