//! What a graph file says that git has merged, or failed to merge.
//!
//! Owns: the sides of a file with conflict marks, and lines that `merge=union` put side by side. Never: a guess. What
//! cannot be read as a whole is damage with its line, and nothing is made of it.

use crate::exchange::snapshot::{CLOSING, LISTS, opening};
use crate::ledger::segment::{CONFLICT_MARKS, Damage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A text's lines, each with its place in the file.
type Numbered<'a> = Vec<(usize, &'a str)>;

/// The graphs that the file holds, as JSON: one, or one for each side of a merge that git left to a person.
pub(crate) fn sides(text: &str) -> Result<Vec<String>, Damage> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let all: Numbered = (1..).zip(text.lines()).collect();
    let marked = |line: &str| {
        CONFLICT_MARKS
            .iter()
            .any(|mark| line.starts_with(mark.trim_end()))
    };
    if !all.iter().any(|(_, line)| marked(line)) {
        return graph(&all).map(|graph| vec![graph]);
    }
    let (ours, theirs) = divided(&all)?;
    Ok(vec![graph(&ours)?, graph(&theirs)?])
}

/// The lines of both sides.
fn divided<'a>(all: &Numbered<'a>) -> Result<(Numbered<'a>, Numbered<'a>), Damage> {
    #[derive(Clone, Copy, PartialEq)]
    enum At {
        Both,
        Ours,
        Base,
        Theirs,
    }
    let (mut ours, mut theirs, mut at) = (Vec::new(), Vec::new(), At::Both);
    for (number, line) in all {
        let mark = CONFLICT_MARKS.map(|mark| line.starts_with(mark.trim_end()));
        let next = match (mark, at) {
            ([true, ..], At::Both) => At::Ours,
            ([_, true, ..], At::Ours) => At::Base,
            ([_, _, true, _], At::Ours | At::Base) => At::Theirs,
            ([.., true], At::Theirs) => At::Both,
            ([false, false, false, false], _) => {
                if matches!(at, At::Both | At::Ours) {
                    ours.push((*number, *line));
                }
                if matches!(at, At::Both | At::Theirs) {
                    theirs.push((*number, *line));
                }
                continue;
            }
            _ => {
                return Err(damage(
                    *number,
                    "a conflict mark of git stands there without those that belong to it",
                ));
            }
        };
        at = next;
    }
    if at == At::Both {
        return Ok((ours, theirs));
    }
    Err(damage(all.len(), "a conflict that git marked does not end"))
}

fn damage(line: usize, reason: &str) -> Damage {
    Damage {
        line,
        reason: reason.to_owned(),
    }
}

/// The JSON of one graph.
fn graph(lines: &Numbered) -> Result<String, Damage> {
    // The file as it is written here may hold lines of two writers side by side. It need not be JSON then, and where it
    // is, a list that both wrote to may stand in it twice.
    let opens = LISTS.first().map(|list| opening(list));
    let is_ours = lines
        .first()
        .is_some_and(|(_, line)| opens.as_deref() == Some(line.trim_end()));
    let by_lines = is_ours.then(|| by_lines(lines));
    if let Some(Ok(graph)) = by_lines {
        return Ok(graph);
    }
    let mut text = String::with_capacity(lines.iter().map(|(_, line)| line.len() + 1).sum());
    for (_, line) in lines {
        text.push_str(line);
        text.push('\n');
    }
    let error = match serde_json::from_str::<BTreeMap<String, IgnoredAny>>(&text) {
        Ok(_) => return Ok(text),
        Err(error) => error,
    };
    if let Some(Err(damage)) = by_lines {
        return Err(damage);
    }
    let place = error.line().clamp(1, lines.len().max(1)) - 1;
    let line = lines.get(place).map_or(1, |(number, _)| *number);
    Err(damage(
        line,
        if text.trim().is_empty() {
            "the file is empty"
        } else {
            "what stands there is not JSON"
        },
    ))
}

/// What tells a record's list; one key each, that no other record has.
#[derive(Deserialize)]
struct Marks {
    node_type: Option<IgnoredAny>,
    from_node_id: Option<IgnoredAny>,
    color: Option<IgnoredAny>,
    theme: Option<IgnoredAny>,
    sha256: Option<IgnoredAny>,
    root_change_id: Option<IgnoredAny>,
}

impl Marks {
    /// In the order of [`LISTS`].
    fn list(&self) -> Option<&'static str> {
        let marks = [
            &self.node_type,
            &self.from_node_id,
            &self.color,
            &self.theme,
            &self.sha256,
            &self.root_change_id,
        ];
        let mut told = LISTS
            .into_iter()
            .zip(marks)
            .filter(|(_, mark)| mark.is_some());
        match (told.next(), told.next()) {
            (Some((list, _)), None) => Some(list),
            _ => None,
        }
    }
}

/// The records, each in the list that it tells itself: where two writers' lines stand side by side, those of the second
/// may come behind the opening of a later list of the first.
fn by_lines(lines: &Numbered) -> Result<String, Damage> {
    let mut records: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let (mut list, mut closed) = (None, false);
    for (number, line) in lines {
        let line = line.trim_end();
        if line == CLOSING {
            closed = true;
        } else if let Some(next) = LISTS.into_iter().find(|list| line == opening(list)) {
            (list, closed) = (Some(next), false);
        } else {
            let record = line.trim().trim_start_matches(',').trim_end_matches(',');
            let marks = serde_json::from_str::<Marks>(record).ok();
            match (list, marks) {
                (Some(list), Some(marks)) if !closed && record.starts_with('{') => {
                    let list = marks.list().unwrap_or(list);
                    records.entry(list).or_default().push(record);
                }
                _ => return Err(damage(*number, "the line there is no record of the graph")),
            }
        }
    }
    if !closed {
        return Err(damage(
            lines.last().map_or(1, |(number, _)| *number),
            "the file ends there, before its end",
        ));
    }
    let lists: Vec<String> = LISTS
        .iter()
        .map(|list| {
            format!(
                "\"{list}\":[{}]",
                records.remove(list).unwrap_or_default().join(",")
            )
        })
        .collect();
    Ok(format!("{{{}}}", lists.join(",")))
}

#[cfg(test)]
mod tests {
    use super::sides;

    const FILE: &str = "{\"nodes\":[\n{\"id\":1}\n,{\"id\":2}\n],\"edges\":[\n],\"themes\":[\n],\"node_themes\":[\n],\"documents\":[\n],\"sessions\":[\n]}\n";

    fn one_line(text: &str) -> String {
        text.replace('\n', "")
    }

    fn line(text: &str) -> usize {
        sides(text).expect_err("damage").line
    }

    #[test]
    fn a_whole_file_is_one_side() {
        assert_eq!(sides(FILE).expect("a graph"), [one_line(FILE)]);
        assert_eq!(sides("{\n \"nodes\": []\n}").expect("a graph").len(), 1);
    }

    #[test]
    fn both_sides_of_a_conflict_are_read() {
        let text = FILE.replace(
            ",{\"id\":2}\n",
            "<<<<<<< HEAD\n,{\"id\":2}\n||||||| base\n=======\n,{\"id\":3}\n>>>>>>> other\n",
        );
        let both = sides(&text).expect("two graphs");
        assert_eq!(both[0], one_line(FILE));
        assert_eq!(both[1], one_line(FILE).replace("\"id\":2", "\"id\":3"));
    }

    #[test]
    fn lines_of_two_writers_side_by_side_are_read() {
        let text = FILE.replace("{\"id\":1}\n", "{\"id\":1}\n{\"id\":4}\n,{\"id\":5}\n");
        let one = sides(&text).expect("a graph");
        assert!(
            one[0].starts_with("{\"nodes\":[{\"id\":1},{\"id\":4},{\"id\":5},{\"id\":2}],"),
            "{}",
            one[0]
        );
    }

    #[test]
    fn records_of_two_writers_find_their_lists() {
        // The second writer's edge stands in a list of the first one, with its comma: that would be JSON.
        let both = "{\"color\":\"a\"}\n],\"node_themes\":[\n{\"theme\":\"a\"}\n,{\"from_node_id\":1}\n],\"themes\":[\n{\"color\":\"b\"}\n],\"node_themes\":[\n{\"theme\":\"b\"}\n";
        let text = FILE.replace(
            "],\"node_themes\":[\n",
            &format!("{both}],\"node_themes\":[\n"),
        );
        let graph = &sides(&text).expect("a graph")[0];
        for list in [
            "\"edges\":[{\"from_node_id\":1}]",
            "\"themes\":[{\"color\":\"a\"},{\"color\":\"b\"}]",
            "\"node_themes\":[{\"theme\":\"a\"},{\"theme\":\"b\"}]",
        ] {
            assert!(graph.contains(list), "{graph}");
        }
    }

    #[test]
    fn damage_is_said_with_its_line_and_never_read_as_empty() {
        assert_eq!(line(""), 1);
        assert_eq!(line("{\"nodes\":[\n{\"id\":1}\n"), 2);
        assert_eq!(line(&FILE.replace(",{\"id\":2}", ",{\"id\":")), 3);
        assert_eq!(line("{\n  \"nodes\": [\n    {\"id\": 1\n"), 3);
        assert_eq!(line(&format!("<<<<<<< HEAD\n{FILE}")), 10);
        assert_eq!(line(&format!("=======\n{FILE}")), 1);
        let half = FILE.replace(
            ",{\"id\":2}\n",
            "<<<<<<< a\n,{\"id\":2}\n=======\n,{\"id\":\n>>>>>>> b\n",
        );
        assert_eq!(line(&half), 6);
    }
}
