//! Groups, objects and materials of the faces read so far.

use std::collections::HashMap;

use crate::import::{Group, Material};

/// Distinct names beyond which a file is refused.
pub(super) const MAX_NAMES: usize = 100_000;

/// Words of a `g` statement that become groups of their own, beside the one named by all of them.
const MAX_GROUP_WORDS: usize = 8;

/// The parts that the next face belongs to, as indices into [`Names`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Belonging {
    object: Option<u32>,
    groups: Option<u32>,
    material: Option<u32>,
}

/// Everything named so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    current: Belonging,
    ids: HashMap<String, u32>,
    groups: Vec<Group>,
    /// Group lists of `g` statements, and their numbers by text.
    sets: Vec<Vec<u32>>,
    set_ids: HashMap<String, u32>,
    material_ids: HashMap<String, u32>,
    pub(super) materials: Vec<Material>,
    pub(super) polygon_materials: Vec<Option<u32>>,
}

impl Names {
    /// What a face that comes now belongs to.
    pub(super) fn current(&self) -> Belonging {
        self.current
    }

    /// Number of distinct names.
    pub(super) fn len(&self) -> usize {
        self.groups.len() + self.sets.len() + self.materials.len()
    }

    /// `o NAME`: a new object; groups end.
    pub(super) fn object(&mut self, name: &str) {
        self.current.object = (!name.is_empty()).then(|| self.group(name));
        self.current.groups = None;
    }

    /// `g A B`: faces belong to the groups `A`, `B` and `A B`.
    pub(super) fn group_set(&mut self, whole: &str, words: &[String]) {
        if words.is_empty() {
            self.current.groups = None;
            return;
        }
        let set = match self.set_ids.get(whole) {
            Some(&set) => set,
            None => {
                let mut members = vec![self.group(whole)];
                if (2..=MAX_GROUP_WORDS).contains(&words.len()) {
                    members.extend(words.iter().map(|word| self.group(word)));
                }
                let set = self.sets.len() as u32;
                self.sets.push(members);
                self.set_ids.insert(whole.to_owned(), set);
                set
            }
        };
        self.current.groups = Some(set);
    }

    /// `usemtl NAME`.
    pub(super) fn material(&mut self, name: &str) {
        if name.is_empty() {
            self.current.material = None;
            return;
        }
        let next = self.materials.len() as u32;
        let id = *self.material_ids.entry(name.to_owned()).or_insert(next);
        if id == next {
            self.materials.push(Material { name: name.to_owned(), ..Material::default() });
        }
        self.current.material = Some(id);
    }

    /// Enters the next polygon under the names it belongs to.
    pub(super) fn enter(&mut self, belonging: Belonging) {
        let polygon = self.polygon_materials.len() as u32;
        self.polygon_materials.push(belonging.material);
        let set = belonging.groups.and_then(|set| self.sets.get(set as usize)).map_or(&[][..], Vec::as_slice);
        for &group in belonging.object.iter().chain(set) {
            if let Some(group) = self.groups.get_mut(group as usize)
                && group.polygons.last() != Some(&polygon)
            {
                group.polygons.push(polygon);
            }
        }
    }

    /// All groups that have faces, those named by materials last.
    pub(super) fn into_groups(mut self) -> (Vec<Group>, Vec<Material>, Vec<Option<u32>>) {
        self.polygon_materials.shrink_to_fit();
        self.groups.iter_mut().for_each(|group| group.polygons.shrink_to_fit());
        let mut by_material = vec![Vec::new(); self.materials.len()];
        for (polygon, material) in self.polygon_materials.iter().enumerate() {
            if let Some(polygons) = material.and_then(|m| by_material.get_mut(m as usize)) {
                polygons.push(polygon as u32);
            }
        }
        for (material, polygons) in self.materials.iter().zip(by_material) {
            match self.ids.get(&material.name).and_then(|&id| self.groups.get_mut(id as usize)) {
                Some(group) => {
                    group.polygons.extend(polygons);
                    group.polygons.sort_unstable();
                    group.polygons.dedup();
                }
                None => self.groups.push(Group { name: material.name.clone(), polygons }),
            }
        }
        self.groups.retain(|group| !group.polygons.is_empty());
        (self.groups, self.materials, self.polygon_materials)
    }

    fn group(&mut self, name: &str) -> u32 {
        let next = self.groups.len() as u32;
        let id = *self.ids.entry(name.to_owned()).or_insert(next);
        if id == next {
            self.groups.push(Group { name: name.to_owned(), polygons: Vec::new() });
        }
        id
    }
}
