//! Projects with a graph of so many nodes, made once and copied for each run.
//!
//! Owns: making, keeping and copying them. Never: measuring.

use deciduous_runner::generate::{Edge, Graph, graph};
use deciduous_runner::{built, root};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const SEED: u64 = 7;
/// Raised when the same seed makes another graph.
const VERSION: u32 = 1;

/// What the questions are put to.
pub struct Shape {
    pub nodes: u32,
    /// A node with a few edges, in the middle of the graph.
    pub middle: u32,
    /// Goals from which about a thousand nodes can be reached together.
    pub roots: Vec<u32>,
    /// How many.
    pub reached: usize,
}

/// A project to measure in.
pub struct Store {
    pub folder: PathBuf,
    pub database: PathBuf,
    pub shape: Shape,
}

/// The graph of so many nodes, and where to ask it.
pub fn made(nodes: u32) -> (Graph, Shape) {
    let graph = graph(nodes, SEED);
    let (roots, reached) = about_a_thousand(&graph);
    let shape = Shape {
        nodes,
        middle: nodes / 2,
        roots,
        reached,
    };
    (graph, shape)
}

/// A copy of the graph of so many nodes, which is made when there is none.
pub fn fresh(binary: &Path, nodes: u32) -> Result<Store, String> {
    let bench = built::target().join("bench");
    let tables = fs::read(root().join("bindings/schema/tables.json")).unwrap_or_default();
    let format = tables.iter().fold(VERSION, |sum, byte| {
        sum.wrapping_mul(31).wrapping_add(u32::from(*byte))
    });
    let kept = bench.join(format!("{nodes}-{format:08x}"));
    let (graph, shape) = made(nodes);
    if !kept.join("done").exists() {
        make(binary, &kept, graph)?;
    }
    let folder = bench.join(format!("run-{nodes}"));
    // Whatever a former run left.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join(".deciduous")).map_err(|error| error.to_string())?;
    let database = folder.join(".deciduous/deciduous.db");
    fs::copy(kept.join(".deciduous/deciduous.db"), &database)
        .map_err(|error| format!("`{}`: {error}", kept.display()))?;
    // The first durable write would wait for the copy otherwise.
    fs::File::open(&database)
        .and_then(|file| file.sync_all())
        .map_err(|error| error.to_string())?;
    Ok(Store {
        folder,
        database,
        shape,
    })
}

/// In pieces that a person would have to wait for, not in one that fills the memory.
fn make(binary: &Path, folder: &Path, graph: Graph) -> Result<(), String> {
    const PIECE: usize = 100_000;
    let started = Instant::now();
    // Half-made, if it is there.
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    run(Command::new(binary).arg("init").current_dir(folder))?;
    let file = folder.join("graph.json");
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    let (mut later, mut pending) = (graph.nodes, graph.edges);
    while !later.is_empty() {
        let rest = later.split_off(later.len().min(PIECE));
        let last = later.last().map_or(0, |node| node.id);
        let ends_here = |edge: &Edge| edge.from_node_id.max(edge.to_node_id) <= last;
        let (now, after) = pending.into_iter().partition(ends_here);
        let piece = Graph {
            nodes: later,
            edges: now,
        };
        let json = serde_json::to_vec(&piece).map_err(|error| error.to_string())?;
        fs::write(&file, json).map_err(|error| error.to_string())?;
        run(Command::new(binary)
            .args(["import", "graph.json"])
            .current_dir(folder))?;
        eprintln!("{last} of {nodes} nodes after {:.1?}", started.elapsed());
        (later, pending) = (rest, after);
    }
    eprintln!(
        "made {nodes} nodes and {edges} edges in {:.1?}",
        started.elapsed()
    );
    fs::write(folder.join("done"), "").map_err(|error| error.to_string())
}

/// The newest goals whose descendants are a thousand together, and how many they are.
fn about_a_thousand(graph: &Graph) -> (Vec<u32>, usize) {
    const WANTED: usize = 1_000;
    let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for edge in &graph.edges {
        let followers = below.entry(edge.from_node_id).or_default();
        followers.push(edge.to_node_id);
    }
    let (mut roots, mut seen) = (Vec::new(), BTreeSet::new());
    let goals = graph
        .nodes
        .iter()
        .rev()
        .filter(|node| node.node_type == "goal");
    for goal in goals.map(|node| node.id) {
        let reached = reach(goal, &below, &seen);
        // A goal on which much of the graph hangs is passed over.
        if seen.len() + reached.len() <= WANTED + WANTED / 20 {
            roots.push(goal);
            seen.extend(reached);
        }
        if seen.len() >= WANTED - WANTED / 20 {
            break;
        }
    }
    (roots, seen.len())
}

/// What can be reached from a node beside what is known, the node with it.
fn reach(from: u32, below: &BTreeMap<u32, Vec<u32>>, known: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut reached = BTreeSet::new();
    let mut queue = VecDeque::from([from]);
    while let Some(id) = queue.pop_front() {
        if !known.contains(&id) && reached.insert(id) {
            queue.extend(below.get(&id).into_iter().flatten());
        }
    }
    reached
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .env_remove("DECIDUOUS_DB_PATH")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
