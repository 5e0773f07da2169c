//! The node hierarchy: one parent a node, no cycle, walked without recursion (chains may be hundreds of thousands long).

use super::element::Element;
use super::error::Faults;

/// The nodes that matter: those of the scene, joints, and what stands above them.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Indices in the document, each behind its parent.
    pub(super) order: Vec<usize>,
    /// For each node of the document its place in [`Tree::order`].
    pub(super) places: Vec<Option<u32>>,
    /// For each node of the document whether the scene shows it.
    pub(super) drawn: Vec<bool>,
    /// For each node of the document its parent.
    pub(super) parents: Vec<Option<usize>>,
}

/// All nodes of a document with their children.
#[derive(Debug)]
pub(super) struct Forest {
    children: Vec<Vec<usize>>,
    parents: Vec<Option<usize>>,
}

impl Forest {
    /// Reads the `children` of all nodes.
    pub(super) fn of(document: &Element<'_>, faults: &mut Faults) -> Forest {
        let count = document.array("nodes", faults).len();
        let mut forest = Forest { children: Vec::with_capacity(count), parents: vec![None; count] };
        for index in 0..count {
            let node = document.item("nodes", index, faults);
            let children = node.as_ref().map_or(Vec::new(), |node| node.indices("children", "nodes", count, faults));
            for &child in &children {
                if let Some(slot) = forest.parents.get_mut(child)
                    && let Some(first) = slot.replace(index)
                {
                    let found = format_args!("second parent nodes[{index}] beside nodes[{first}]");
                    faults.push(format_args!("nodes[{child}]"), found, "one parent a node");
                }
            }
            forest.children.push(children);
        }
        if faults.count == 0 {
            forest.refuse_cycles(faults);
        }
        forest
    }

    /// With one parent a node, what no root reaches is a cycle or hangs beneath one.
    fn refuse_cycles(&self, faults: &mut Faults) {
        let reached = self.below(self.roots());
        if let Some(node) = reached.iter().position(|&reached| !reached) {
            faults.push(format_args!("nodes[{node}]"), "a node among its own ancestors", "a tree without cycles");
        }
    }

    /// Nodes without parent.
    pub(super) fn roots(&self) -> Vec<usize> {
        (0..self.parents.len()).filter(|&node| self.parents.get(node) == Some(&None)).collect()
    }

    /// Which nodes are `from` or below.
    fn below(&self, from: Vec<usize>) -> Vec<bool> {
        let mut reached = vec![false; self.children.len()];
        let mut open = from;
        while let Some(node) = open.pop() {
            if let Some(slot) = reached.get_mut(node).filter(|slot| !**slot) {
                *slot = true;
                open.extend_from_slice(self.children.get(node).map_or(&[], Vec::as_slice));
            }
        }
        reached
    }

    /// Which nodes a scene with these roots shows.
    pub(super) fn drawn(&self, scene_roots: Vec<usize>) -> Vec<bool> {
        self.below(scene_roots)
    }

    /// The drawn nodes, `joints`, and all their ancestors.
    pub(super) fn tree(self, drawn: Vec<bool>, joints: &[usize]) -> Tree {
        let mut kept = vec![false; self.parents.len()];
        let shown = (0..drawn.len()).filter(|&node| drawn.get(node) == Some(&true));
        for start in shown.chain(joints.iter().copied()) {
            let mut next = Some(start);
            while let Some(node) = next
                && let Some(slot) = kept.get_mut(node).filter(|slot| !**slot)
            {
                *slot = true;
                next = self.parents.get(node).copied().flatten();
            }
        }
        let (order, places) = self.parents_first(&kept);
        Tree { order, places, drawn, parents: self.parents }
    }

    fn parents_first(&self, kept: &[bool]) -> (Vec<usize>, Vec<Option<u32>>) {
        let (mut order, mut places) = (Vec::new(), vec![None; kept.len()]);
        let mut open = self.roots();
        open.reverse();
        while let Some(node) = open.pop() {
            if kept.get(node) != Some(&true) {
                continue;
            }
            if let Some(place) = places.get_mut(node) {
                *place = Some(order.len() as u32);
            }
            order.push(node);
            open.extend(self.children.get(node).into_iter().flatten().rev());
        }
        (order, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn forest(nodes: &serde_json::Value) -> Result<Forest, Faults> {
        let document = json!({ "nodes": nodes });
        let mut faults = Faults::default();
        let forest = Forest::of(&Element::root(&document).unwrap(), &mut faults);
        if faults.count == 0 { Ok(forest) } else { Err(faults) }
    }

    #[test]
    fn cycles_second_parents_and_bad_children_are_refused() {
        for nodes in [
            json!([{ "children": [0] }]),
            json!([{ "children": [1] }, { "children": [2] }, { "children": [1] }]),
            json!([{ "children": [2] }, { "children": [2] }, {}]),
            json!([{ "children": [1, 1] }, {}]),
            json!([{ "children": [9] }]),
            json!([{ "children": 0 }]),
        ] {
            assert!(forest(&nodes).is_err(), "{nodes}");
        }
    }

    #[test]
    fn a_long_chain_is_walked_without_recursion() {
        let nodes: Vec<_> =
            (1..=50_000).map(|i| if i < 50_000 { json!({ "children": [i] }) } else { json!({}) }).collect();
        let forest = forest(&nodes.into()).unwrap();
        let drawn = forest.drawn(vec![0]);
        assert_eq!(forest.tree(drawn, &[]).order.len(), 50_000);
    }

    #[test]
    fn joints_outside_the_scene_are_kept_behind_their_parents() {
        let forest = forest(&json!([{}, { "children": [0] }, { "children": [1] }, {}])).unwrap();
        let drawn = forest.drawn(vec![3]);
        let tree = forest.tree(drawn, &[0]);
        assert_eq!(tree.order, [2, 1, 0, 3]);
        assert_eq!(tree.drawn, [false, false, false, true]);
    }
}
