//! What happened at a small company that lets people book rooms: they moved sign-in from tokens to cookies.
//!
//! Owns: the notes and how they hang together. Never: how they are written down (`tell.rs`).

/// A piece of the story on one branch.
pub struct Chapter {
    pub title: &'static str,
    pub branch: &'static str,
    pub theme: &'static str,
    pub notes: &'static [Note],
}

/// One node, and the edges that lead to it.
pub struct Note {
    /// How the story itself calls it.
    pub key: &'static str,
    pub kind: &'static str,
    pub title: &'static str,
    pub text: &'static str,
    pub prompt: &'static str,
    /// 0: not said.
    pub confidence: u32,
    pub status: &'static str,
    /// Files that the commit of this note touches; empty: no commit.
    pub files: &'static str,
    /// (from, kind of edge, why).
    pub from: &'static [(&'static str, &'static str, &'static str)],
}

const fn note(kind: &'static str, key: &'static str, title: &'static str) -> Note {
    Note {
        key,
        kind,
        title,
        text: "",
        prompt: "",
        confidence: 0,
        status: "",
        files: "",
        from: &[],
    }
}

impl Note {
    const fn text(mut self, text: &'static str) -> Self {
        self.text = text;
        self
    }

    const fn prompt(mut self, prompt: &'static str) -> Self {
        self.prompt = prompt;
        self
    }

    const fn sure(mut self, confidence: u32) -> Self {
        self.confidence = confidence;
        self
    }

    const fn is(mut self, status: &'static str) -> Self {
        self.status = status;
        self
    }

    const fn files(mut self, files: &'static str) -> Self {
        self.files = files;
        self
    }

    const fn from(mut self, from: &'static [(&'static str, &'static str, &'static str)]) -> Self {
        self.from = from;
        self
    }
}

/// The themes with their colours.
pub const THEMES: [(&str, &str, &str); 4] = [
    ("security", "#b3261e", "Who may act for whom"),
    ("speed", "#0b6e4f", "What a request costs"),
    (
        "migration",
        "#7a4f01",
        "Getting there without anybody noticing",
    ),
    ("people", "#3b5bdb", "What support and customers told us"),
];

/// A document that comes along: the node, the path, the text, what it is.
pub const DOCUMENT: (&str, &str, &str, &str) = (
    "pentest",
    "docs/pentest-2026.md",
    "# Test of the sign-in, second round\n\n- Stolen token replayed after sign-out: refused (was: accepted for 24 hours)\n\
     - Cross-site form post: refused by Origin check\n- Session fixation: id is renewed at sign-in\n\nOpen: the partner page in a frame.\n",
    "Report of the outside test, second round",
);

/// The decision that is explained at the end.
pub const EXPLAINED: &str = "cookies";
/// Where the writeup begins.
pub const WRITTEN_UP: &str = "sign-out";
/// A question a newcomer would ask.
pub const QUESTION: &str = "why did we give up refresh tokens?";

pub const STORY: [Chapter; 6] = [
    Chapter {
        title: "A lost laptop",
        branch: "main",
        theme: "people",
        notes: &LAPTOP,
    },
    Chapter {
        title: "First try: short tokens",
        branch: "short-tokens",
        theme: "security",
        notes: &TOKENS,
    },
    Chapter {
        title: "Looking again",
        branch: "cookie-sessions",
        theme: "security",
        notes: &COOKIES,
    },
    Chapter {
        title: "What a lookup costs",
        branch: "session-cache",
        theme: "speed",
        notes: &SPEED,
    },
    Chapter {
        title: "Moving everybody over",
        branch: "cookie-rollout",
        theme: "migration",
        notes: &MIGRATION,
    },
    Chapter {
        title: "Forms from elsewhere, and what is left",
        branch: "origin-check",
        theme: "security",
        notes: &FORMS,
    },
];

const LAPTOP: [Note; 8] = [
    note("goal", "sign-out", "Let people end every session of theirs at once")
        .text("Whoever loses a device, or leaves a company, must be signed out everywhere within a minute.")
        .prompt("A customer lost a laptop on Friday and we could do nothing until Saturday. I never want to write that mail again.")
        .sure(95)
        .is("active"),
    note("observation", "24h", "A stolen token works for up to 24 hours")
        .text("The token is checked by its signature alone. Nothing we do on the server shortens its life.")
        .files("src/auth/token.rs")
        .from(&[("sign-out", "leads_to", "why it cannot be done today")]),
    note("observation", "rotation", "Support signed everybody out to stop one thief")
        .text("In October the signing key was rotated three times by hand. Each time 41 000 people had to sign in again, and 212 wrote to us.")
        .from(&[("sign-out", "leads_to", "what it costs us")]),
    note("option", "deny-list", "Keep the tokens, add a deny list in Redis")
        .text("Every request looks the token up in a list of ended ones.")
        .is("rejected")
        .from(&[("sign-out", "leads_to", "smallest change")]),
    note("option", "short", "Tokens of 15 minutes with a refresh token")
        .text("The refresh token lies in the database and can be deleted; the short one dies by itself.")
        .is("rejected")
        .from(&[("sign-out", "leads_to", "what most guides recommend")]),
    note("option", "opaque", "An opaque session id in a cookie, sessions in Postgres")
        .text("256 random bits, `HttpOnly`, `Secure`, `SameSite=Lax`. The row is the session: delete it and it is over.")
        .is("completed")
        .from(&[("sign-out", "leads_to", "how it was done before tokens")]),
    note("option", "vendor", "Buy it: a hosted identity service")
        .text("4 200 € a month at our size, and a year's contract.")
        .is("rejected")
        .from(&[("sign-out", "leads_to", "somebody else has solved this")]),
    note("decision", "short-tokens", "Sign-in with short tokens and refresh")
        .text("Ends a session within 15 minutes, needs no lookup on ordinary requests, and the mobile app keeps its library.")
        .sure(70)
        .is("superseded")
        .from(&[
            ("short", "chosen", "15 minutes is near enough to at once, and requests stay free of a lookup"),
            ("deny-list", "rejected", "a lookup on every request after all, and when Redis is down it lets everybody in"),
            ("vendor", "rejected", "a tenth of our revenue for a table with five columns"),
            ("opaque", "rejected", "a lookup on every request; we believed it would cost 10 ms"),
        ]),
];

const TOKENS: [Note; 8] = [
    note("action", "issue-short", "Issue tokens of 15 minutes")
        .is("completed")
        .files("src/auth/token.rs")
        .from(&[("short-tokens", "leads_to", "")]),
    note("action", "refresh-route", "Add the refresh route, one use a token")
        .text("A refresh token that comes a second time ends the whole family: it was stolen.")
        .is("completed")
        .files("src/auth/refresh.rs,src/routes.rs")
        .from(&[("short-tokens", "leads_to", "")]),
    note("outcome", "ended-15", "A session ends within 15 minutes")
        .text("Measured over a week: median 7 min 40 s, worst 15 min 2 s.")
        .is("completed")
        .from(&[("issue-short", "leads_to", "measured in staging")]),
    note("outcome", "storm", "Refresh storms: 38 times the usual load at nine in the morning")
        .text("Every laptop that wakes up refreshes at once, in every open tab. p99 of the route went from 60 ms to 2.1 s.")
        .is("completed")
        .from(&[("refresh-route", "leads_to", "second Monday after the release")]),
    note("observation", "tabs", "Two tabs that refresh together sign the person out")
        .text("The second tab uses a token that the first has just used up, which looks like theft. 1 in 90 people a day.")
        .from(&[("refresh-route", "leads_to", "support, 130 tickets in the first week"), ("storm", "leads_to", "same cause")]),
    note("action", "lock-tabs", "Let tabs share one refresh through a lock in the browser")
        .is("abandoned")
        .files("web/refresh.ts")
        .from(&[("short-tokens", "leads_to", "to get rid of the tab problem")]),
    note("outcome", "lock-ios", "The lock does not hold when iOS suspends a tab")
        .text("The tab that holds it is frozen; the others wait for 30 s and then sign out.")
        .is("completed")
        .from(&[("lock-tabs", "leads_to", "found on the third test device")]),
    note("observation", "minute", "Customers asked for a minute; 15 is not that")
        .text("Two security questionnaires ask for \"revocation within 60 seconds\".")
        .from(&[("ended-15", "leads_to", "what the number is held against")]),
];

const COOKIES: [Note; 11] = [
    note("revisit", "again", "Short tokens, six weeks later")
        .text("We kept a token to save a lookup, and pay for it with a second token, a lock, a storm and a promise we cannot keep.")
        .prompt("Step back. What would we build if we had never heard of refresh tokens?")
        .from(&[
            ("short-tokens", "supersedes", "its costs are known now"),
            ("tabs", "leads_to", ""),
            ("minute", "leads_to", ""),
        ]),
    note("observation", "lookup", "A lookup by primary key takes 0.4 ms, not 10")
        .text("Measured on the production replica: p50 0.4 ms, p99 1.9 ms. The 10 ms we feared were from a test over a VPN.")
        .from(&[("again", "leads_to", "the number that the first decision hung on")]),
    note("decision", "cookies", "Sessions are rows; the browser holds an opaque id in a cookie")
        .text("Ending a session is deleting a row. No second token, no lock, no clock. The lookup is the price, and it is 0.4 ms.")
        .sure(92)
        .is("completed")
        .from(&[
            ("again", "supersedes", "replaces short tokens with refresh"),
            ("opaque", "chosen", "ends at once, one concept instead of three"),
            ("short", "rejected", "storms, tabs and 15 minutes: every fix needed another fix"),
            ("lookup", "leads_to", "the fear was wrong by a factor of 25"),
        ]),
    note("action", "table", "Make the session table and its sweeper")
        .text("id is stored as its SHA-256, so a copy of the database signs nobody in.")
        .is("completed")
        .files("migrations/0042_session.sql,src/auth/session.rs")
        .from(&[("cookies", "leads_to", "")]),
    note("action", "cookie", "Set and read the cookie, renew the id at sign-in")
        .is("completed")
        .files("src/auth/cookie.rs,src/routes.rs")
        .from(&[("cookies", "leads_to", ""), ("table", "enables", "")]),
    note("action", "everywhere", "The button: sign out everywhere")
        .is("completed")
        .files("web/account.ts,src/routes.rs")
        .from(&[("cookies", "leads_to", "what all of this is for"), ("cookie", "enables", "")]),
    note("outcome", "ended-now", "A session ends with the next request: 0.2 s in the test")
        .text("40 devices of one account signed out; the slowest noticed after 0.2 s.")
        .is("completed")
        .from(&[("everywhere", "leads_to", "measured against production")]),
    note("outcome", "less-code", "1 140 lines went, 310 came")
        .is("completed")
        .from(&[("cookie", "leads_to", "counted at the merge")]),
    note("observation", "mobile-cookie", "The mobile app can keep a cookie too")
        .text("Its HTTP library has a jar on disk; we only had to turn it on.")
        .from(&[("cookie", "leads_to", "the worry was that it needs tokens")]),
    note("action", "drop-refresh", "Remove the refresh route and the lock")
        .is("completed")
        .files("src/auth/refresh.rs,web/refresh.ts")
        .from(&[("cookies", "leads_to", ""), ("ended-now", "enables", "nothing uses them any more")]),
    note("outcome", "quiet-monday", "The first quiet Monday: no peak at nine")
        .text("p99 of sign-in 71 ms, against 2.1 s three weeks before.")
        .is("completed")
        .from(&[("drop-refresh", "leads_to", "dashboards, 9:00 to 9:30")]),
];

const SPEED: [Note; 10] = [
    note("goal", "p99", "Keep p99 of a request below 120 ms with the lookup in it")
        .text("It is 84 ms today. Whatever sessions cost must fit in between.")
        .sure(85)
        .is("completed")
        .from(&[("sign-out", "leads_to", "the condition under which we may")]),
    note("option", "plain", "Look up in Postgres at each request").is("rejected").from(&[("p99", "leads_to", "nothing to build")]),
    note("option", "in-process", "Cache in the process for 10 s, emptied by NOTIFY")
        .text("A sign-out is a notification to each process. A lost one costs 10 s at most.")
        .is("completed")
        .from(&[("p99", "leads_to", "no new server")]),
    note("option", "redis", "Sessions in Redis").is("rejected").from(&[("p99", "leads_to", "what Redis is good at")]),
    note("decision", "cache", "Cache sessions in the process for 10 seconds")
        .text("Half a day of work, and gone again in a minute by one setting.")
        .sure(80)
        .is("completed")
        .from(&[
            ("in-process", "chosen", "4 of 5 lookups saved, and nothing new to run at night"),
            ("plain", "rejected", "91 ms at p99: within the limit, but with no room for Black Friday"),
            ("redis", "rejected", "a second truth: we would have to say which one wins"),
            ("cookies", "leads_to", "the lookup it speeds up"),
        ]),
    note("action", "build-cache", "Write the cache, bounded at 50 000 sessions")
        .is("completed")
        .files("src/auth/cache.rs")
        .from(&[("cache", "leads_to", "")]),
    note("action", "load", "Play one hour of production against it, three times as fast")
        .is("completed")
        .files("tests/load/replay.rs")
        .from(&[("cache", "leads_to", "before anybody believes a number")]),
    note("outcome", "85ms", "p99 85 ms with 81 % of lookups from the cache")
        .text("84 ms before; 91 ms without the cache. Memory 38 MB a process.")
        .is("completed")
        .from(&[("load", "leads_to", "replay of Tuesday, 10 to 11"), ("build-cache", "leads_to", "")]),
    note("observation", "notify-idle", "NOTIFY is lost while a listener reconnects")
        .text("A proxy closes idle connections after a minute. The listener now pings every 30 s and empties its cache after each reconnect.")
        .from(&[("build-cache", "leads_to", "seen in staging on the second day")]),
    note("outcome", "ten-seconds", "Worst case after a lost notification: 10 s, inside the promised minute")
        .is("completed")
        .from(&[("load", "leads_to", "with notifications switched off on purpose")]),
];

const MIGRATION: [Note; 10] = [
    note("goal", "unnoticed", "Nobody is signed out by the change")
        .prompt("Please, not another Monday where everyone has to sign in again.")
        .sure(90)
        .is("completed")
        .from(&[("sign-out", "leads_to", "")]),
    note("option", "night", "Switch in one night")
        .is("rejected")
        .from(&[("unnoticed", "leads_to", "over with quickly")]),
    note(
        "option",
        "both",
        "Accept both for 30 days; trade a token for a cookie when it comes",
    )
    .is("completed")
    .from(&[("unnoticed", "leads_to", "")]),
    note("decision", "trade", "Trade tokens for cookies over 30 days")
        .text("30 days is the longest a token family lived, so whoever came at all was moved.")
        .sure(88)
        .is("completed")
        .from(&[
            (
                "both",
                "chosen",
                "nobody sees it, and it can be stopped at any hour",
            ),
            (
                "night",
                "rejected",
                "41 000 people at the sign-in page, the very thing we promised not to do",
            ),
            ("cookies", "leads_to", ""),
        ]),
    note("action", "trade-route", "Answer an old token with a cookie")
        .is("completed")
        .files("src/auth/trade.rs,src/routes.rs")
        .from(&[("trade", "leads_to", ""), ("table", "enables", "")]),
    note(
        "action",
        "dashboard",
        "Count who still comes with a token, by client version",
    )
    .is("completed")
    .files("ops/dashboards/sign-in.json")
    .from(&[("trade", "leads_to", "to know when it is over")]),
    note(
        "outcome",
        "moved",
        "99.4 % moved after 12 days, 99.97 % after 30",
    )
    .text("38 people signed in once more. Two of them wrote to us.")
    .is("completed")
    .from(&[
        ("dashboard", "leads_to", "count of the last day"),
        ("trade-route", "leads_to", ""),
    ]),
    note(
        "observation",
        "old-app",
        "Version 3.1 of the Android app ignores cookies",
    )
    .text("0.6 % of requests. Its store entry now asks for an update.")
    .from(&[("dashboard", "leads_to", "the tail that did not shrink")]),
    note(
        "action",
        "remove-tokens",
        "Remove the token code and its key",
    )
    .is("completed")
    .files("src/auth/token.rs,src/auth/trade.rs")
    .from(&[
        ("trade", "leads_to", ""),
        ("moved", "enables", "fewer than 50 left"),
    ]),
    note(
        "outcome",
        "key-gone",
        "The signing key is gone from four servers and two laptops",
    )
    .is("completed")
    .from(&[("remove-tokens", "leads_to", "audit of secrets in March")]),
];

const FORMS: [Note; 14] = [
    note("goal", "forms", "No other site can act for a person who is signed in")
        .text("A cookie is sent along by the browser; a token was not. What we gain in simplicity we owe here.")
        .sure(90)
        .is("active")
        .from(&[("cookies", "leads_to", "the known price of cookies")]),
    note("option", "origin", "SameSite=Lax, and check Origin on every write").is("completed").from(&[("forms", "leads_to", "")]),
    note("option", "form-token", "A hidden token in every form").is("rejected").from(&[("forms", "leads_to", "the classic")]),
    note("decision", "check-origin", "Check Origin on every request that writes")
        .sure(86)
        .is("completed")
        .from(&[
            ("origin", "chosen", "one place in the code, and every browser we support sends it"),
            ("form-token", "rejected", "61 forms to change, and the mobile app has none"),
        ]),
    note("action", "origin-check", "Refuse writes whose Origin is not ours")
        .is("completed")
        .files("src/http/origin.rs")
        .from(&[("check-origin", "leads_to", "")]),
    note("action", "pentest-2", "Have the sign-in tested again from outside")
        .is("completed")
        .from(&[("check-origin", "leads_to", ""), ("cookies", "leads_to", "")]),
    note("outcome", "pentest", "All findings of the first test closed, one new question")
        .text("Replay after sign-out, cross-site post and fixation are refused. Open: the partner page in a frame.")
        .is("completed")
        .from(&[("pentest-2", "leads_to", "report of 12 March")]),
    note("observation", "frame", "Two partners show our calendar in a frame")
        .text("With SameSite=Lax the frame has no session. They bring 9 % of bookings.")
        .from(&[("pentest", "leads_to", "the question behind the finding"), ("forms", "leads_to", "")]),
    note("option", "partitioned", "A second, partitioned cookie for frames").from(&[("forms", "leads_to", "browsers agree on it since last year")]),
    note("option", "own-window", "Open the calendar in a window of its own").from(&[("forms", "leads_to", "no cookie trick at all")]),
    note("decision", "partner-frame", "How partners embed the calendar")
        .text("Not decided: we wait for numbers from both partners.")
        .sure(40)
        .from(&[("partitioned", "leads_to", ""), ("own-window", "leads_to", "")]),
    note("action", "ask-partners", "Ask both partners how many of their visitors block third-party cookies")
        .from(&[("partner-frame", "leads_to", "due in April")]),
    note("goal", "devices", "Show people where they are signed in")
        .text("The table knows it now: device, city, last seen.")
        .sure(60)
        .is("active")
        .from(&[("ended-now", "leads_to", "possible only since sessions are rows")]),
    note("observation", "names", "Half of the devices call themselves \"Chrome on Windows\""),
];
