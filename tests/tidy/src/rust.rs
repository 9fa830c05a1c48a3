//! Rust as words.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::code::Word;

pub fn words(path: &str, text: &str) -> Vec<Word> {
    let stream: TokenStream = text
        .parse()
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut words = Vec::new();
    walk(stream, &mut words);
    words
}

fn walk(stream: TokenStream, words: &mut Vec<Word>) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let line = token.span().start().line;
        if let Some(attribute) = attribute(&tokens[at..]) {
            at += attribute.length;
            if attribute.is_test {
                at += item(&tokens[at..]);
            }
            if attribute.is_test || attribute.is_doc {
                continue;
            }
            walk(attribute.content, words);
            continue;
        }
        match token {
            TokenTree::Ident(name) => {
                let text = name.to_string().trim_start_matches("r#").to_owned();
                words.push(Word::Name { text, line });
            }
            TokenTree::Literal(literal) => {
                if let Some(text) = string(&literal.to_string()) {
                    words.push(Word::Text { text, line });
                }
            }
            TokenTree::Punct(sign) => words.push(Word::Sign {
                text: sign.as_char(),
                line,
            }),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ('{', '}'),
                    Delimiter::Bracket => ('[', ']'),
                    Delimiter::Parenthesis | Delimiter::None => ('(', ')'),
                };
                words.push(Word::Sign { text: open, line });
                walk(group.stream(), words);
                words.push(Word::Sign {
                    text: close,
                    line: group.span_close().start().line,
                });
            }
        }
        at += 1;
    }
}

struct Attribute {
    /// How many tokens it is.
    length: usize,
    is_doc: bool,
    /// What follows is for tests only.
    is_test: bool,
    content: TokenStream,
}

/// `#[…]` or `#![…]` at the beginning.
fn attribute(tokens: &[TokenTree]) -> Option<Attribute> {
    let sign = |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == wanted);
    if !sign(0, '#') {
        return None;
    }
    let length = if sign(1, '!') { 3 } else { 2 };
    let Some(TokenTree::Group(group)) = tokens.get(length - 1) else {
        return None;
    };
    let content = group.stream();
    let text: String = content.to_string().split_whitespace().collect();
    let is_doc = text.starts_with("doc=");
    let is_test = length == 2 && (text == "cfg(test)" || text == "test");
    (group.delimiter() == Delimiter::Bracket).then_some(Attribute {
        length,
        is_doc,
        is_test,
        content,
    })
}

/// How many tokens the item at the beginning has: it ends with its block or its semicolon.
fn item(tokens: &[TokenTree]) -> usize {
    let end = tokens.iter().position(|token| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => sign.as_char() == ';',
        TokenTree::Ident(_) | TokenTree::Literal(_) => false,
    });
    end.map_or(tokens.len(), |end| end + 1)
}

/// What a string literal of any kind holds; escapes are left as they stand.
fn string(literal: &str) -> Option<String> {
    let body = literal
        .trim_start_matches(['b', 'c', 'r'])
        .trim_matches('#');
    Some(body.strip_prefix('"')?.strip_suffix('"')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let words = words("sample.rs", text).into_iter().map(|word| match word {
            Word::Name { text, .. } => text,
            Word::Text { text, .. } => format!("<{text}>"),
            Word::Sign { text, .. } => text.to_string(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn sees_names_and_strings_but_no_comments() {
        let text = "//! a \"b\"\n/// c\nfn d() { e(\"f\", r#\"g\"#, b\"h\", 'i', 1); } // j";
        assert_eq!(shown(text), "fn d ( ) { e ( <f> , <g> , <h> , , ) ; }");
    }

    #[test]
    fn leaves_tests_out() {
        let text = "#[cfg(test)] mod tests { fn a() {} } #[cfg(test)] use b; #[inline] fn c() {}";
        assert_eq!(shown(text), "inline fn c ( ) { }");
    }

    #[test]
    fn knows_lines() {
        assert_eq!(words("sample.rs", "\n\na").first().map(Word::line), Some(3));
    }
}
