//! The words of the graph: types, statuses, edge types, and the one palette that every picture draws with.

/// A vocabulary: the enum, its names on the wire, and a fallback for codes unknown here.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name { $($(#[$variant_meta])* $variant,)* }
        impl $name {
            /// All of them, in their order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// The name on the wire and in the tables.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)* }
            }
            /// The word with exactly this name.
            #[must_use]
            pub fn parse(name: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|word| word.name() == name)
            }
        }
    };
}

words! {
    /// What a node records. The order is the canonical flow, then what attaches anywhere.
    pub enum NodeType {
        /// The requested result.
        Goal = "goal",
        /// An approach worth considering.
        Option = "option",
        /// The choice and its reason.
        Decision = "decision",
        /// Work planned or done.
        Action = "action",
        /// What happened after an action.
        Outcome = "outcome",
        /// A fact learned on the way.
        Observation = "observation",
        /// A decision being reconsidered.
        Revisit = "revisit",
        /// Kept from imports; new writes cannot use it.
        Feedback = "feedback",
    }
}

words! {
    /// Where a node stands.
    pub enum Status {
        Pending = "pending",
        Active = "active",
        Completed = "completed",
        Rejected = "rejected",
        Superseded = "superseded",
        Abandoned = "abandoned",
        /// Kept from imports; new writes cannot use it.
        Done = "done",
    }
}

words! {
    /// How two nodes are joined.
    pub enum EdgeType {
        LeadsTo = "leads_to",
        Requires = "requires",
        Chosen = "chosen",
        Rejected = "rejected",
        Blocks = "blocks",
        Enables = "enables",
        /// From a source idea to the node that reused it.
        TookFrom = "took_from",
        /// From what is replaced, through a revisit, to what replaces it.
        Supersedes = "supersedes",
    }
}

impl NodeType {
    /// What new writes may use.
    #[must_use]
    pub fn writable() -> &'static [NodeType] {
        NodeType::ALL
            .split_last()
            .map_or(&[], |(_, documented)| documented)
    }

    /// The sign drawn before a title.
    #[must_use]
    pub fn glyph(self) -> &'static str {
        match self {
            NodeType::Goal => "◎",
            NodeType::Option => "◇",
            NodeType::Decision => "◆",
            NodeType::Action => "■",
            NodeType::Outcome => "●",
            NodeType::Observation | NodeType::Feedback => "▲",
            NodeType::Revisit => "↻",
        }
    }

    /// Stroke colours on a light and on a dark ground, at least 5 : 1.
    #[must_use]
    pub fn colours(self) -> (&'static str, &'static str) {
        match self {
            NodeType::Goal => ("#8a5a00", "#f2b860"),
            NodeType::Option => ("#0b7285", "#5fd0df"),
            NodeType::Decision => ("#5f3dc4", "#b59bff"),
            NodeType::Action => ("#2b7a36", "#86dd94"),
            NodeType::Outcome => ("#1864ab", "#78bdfb"),
            NodeType::Observation | NodeType::Feedback => ("#9c2269", "#f48fbb"),
            NodeType::Revisit => ("#b5400f", "#ff9f80"),
        }
    }

    /// Graphviz's name of the shape.
    #[must_use]
    pub fn shape(self) -> &'static str {
        match self {
            NodeType::Goal => "house",
            NodeType::Option => "parallelogram",
            NodeType::Decision => "diamond",
            NodeType::Action => "box",
            NodeType::Outcome => "ellipse",
            NodeType::Observation | NodeType::Feedback => "note",
            NodeType::Revisit => "hexagon",
        }
    }
}

impl Status {
    /// What new writes may use.
    #[must_use]
    pub fn writable() -> &'static [Status] {
        Status::ALL
            .split_last()
            .map_or(&[], |(_, documented)| documented)
    }

    /// Whether the node still stands: not rejected, superseded or abandoned.
    #[must_use]
    pub fn stands(self) -> bool {
        !matches!(
            self,
            Status::Rejected | Status::Superseded | Status::Abandoned
        )
    }

    /// Whether nothing more is expected to happen to the node.
    #[must_use]
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::Active)
    }
}

impl EdgeType {
    /// How the line is drawn: Graphviz's name of the style.
    #[must_use]
    pub fn line(self) -> &'static str {
        match self {
            EdgeType::Rejected => "dashed",
            EdgeType::Blocks => "dotted",
            EdgeType::TookFrom => "dashdot",
            EdgeType::Chosen => "bold",
            EdgeType::Supersedes => "double",
            EdgeType::LeadsTo | EdgeType::Requires | EdgeType::Enables => "solid",
        }
    }
}

/// One entry of the palette: a tone by its name, drawn by whoever shows text.
#[derive(Clone, Copy, Debug)]
pub struct Tone {
    pub name: &'static str,
    pub glyph: &'static str,
    pub light: &'static str,
    pub dark: &'static str,
    pub bold: bool,
    pub faint: bool,
    pub strike: bool,
}

const PLAIN: Tone = Tone {
    name: "",
    glyph: "",
    light: "",
    dark: "",
    bold: false,
    faint: false,
    strike: false,
};

/// Every tone a view may name: one a node type, one a status that is shown by weight, and five for plain text.
#[must_use]
pub fn tones() -> Vec<Tone> {
    let mut tones: Vec<Tone> = NodeType::ALL
        .iter()
        .map(|kind| Tone {
            name: kind.name(),
            glyph: kind.glyph(),
            light: kind.colours().0,
            dark: kind.colours().1,
            ..PLAIN
        })
        .collect();
    tones.extend([
        Tone {
            name: "strong",
            bold: true,
            ..PLAIN
        },
        Tone {
            name: "dim",
            faint: true,
            ..PLAIN
        },
        Tone {
            name: "good",
            glyph: "✓",
            light: "#2b7a36",
            dark: "#86dd94",
            ..PLAIN
        },
        Tone {
            name: "warn",
            glyph: "!",
            light: "#8a5a00",
            dark: "#f2b860",
            ..PLAIN
        },
        Tone {
            name: "bad",
            glyph: "✗",
            light: "#b5400f",
            dark: "#ff9f80",
            ..PLAIN
        },
        Tone {
            name: "gone",
            faint: true,
            strike: true,
            ..PLAIN
        },
    ]);
    tones
}
