//! A glTF document under construction: one buffer, one scene, one animation.

use std::borrow::Cow;

use gltf_json as json;
use json::Index;
use json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use json::animation::{Channel, Interpolation, Property, Sampler, Target};
use json::buffer::{self, Stride, View};
use json::scene::Node;
use json::validation::Checked::Valid;
use json::validation::USize64;
use serde_json::Value;

use super::appearance::Looks;
use super::binary::{Binary, Content};
use crate::geometry::Vec3;

/// The document and the pieces of its buffer.
pub(super) struct Document<'a> {
    pub(super) root: json::Root,
    pub(super) binary: Binary<'a>,
    pub(super) looks: Looks,
    scene_nodes: Vec<Index<Node>>,
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
    animation: String,
}

/// Shape of an accessor's elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    pub(super) component: ComponentType,
    pub(super) shape: Type,
}

/// Elements of floating-point numbers.
pub(super) const fn floats(shape: Type) -> Element {
    Element { component: ComponentType::F32, shape }
}

impl Element {
    /// Length of an element, padded to four bytes as vertex attributes require.
    pub(super) fn padded_length(self) -> usize {
        self.length().next_multiple_of(4)
    }

    /// Length of an element without padding.
    pub(super) fn length(self) -> usize {
        self.component.size() * self.shape.multiplicity()
    }
}

impl<'a> Document<'a> {
    /// An empty document whose animation will have this name.
    pub(super) fn new(animation: &str) -> Document<'a> {
        let mut root = json::Root::default();
        root.asset.generator = Some(concat!("toile ", env!("CARGO_PKG_VERSION")).to_owned());
        Document {
            root,
            binary: Binary::default(),
            looks: Looks::default(),
            scene_nodes: Vec::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
            animation: animation.to_owned(),
        }
    }

    /// Adds a node to the document and the scene.
    pub(super) fn push_root_node(&mut self, node: Node) -> Index<Node> {
        let index = self.root.push(node);
        self.scene_nodes.push(index);
        index
    }

    /// Puts a node that is in the document already into the scene.
    pub(super) fn show(&mut self, node: Index<Node>) {
        self.scene_nodes.push(node);
    }

    /// Adds a buffer view.
    pub(super) fn push_view(
        &mut self,
        length: usize,
        target: Option<buffer::Target>,
        content: Content<'a>,
    ) -> Index<View> {
        let offset = self.binary.push(length, content);
        self.root.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(length),
            byte_offset: Some(USize64(offset)),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: None,
        })
    }

    /// Adds a vertex attribute of `count` elements, each padded to four bytes.
    pub(super) fn push_attribute(&mut self, element: Element, count: usize, content: Content<'a>) -> Index<Accessor> {
        let stride = element.padded_length();
        let view = self.push_view(count * stride, Some(buffer::Target::ArrayBuffer), content);
        if stride != element.length() {
            self.root.buffer_views[view.value()].byte_stride = Some(Stride(stride));
        }
        self.root.push(accessor(element, count, Some(view)))
    }

    /// Adds a vertex attribute of positions or displacements within the given bounds.
    pub(super) fn push_positions(&mut self, count: usize, bounds: [Vec3; 2], content: Content<'a>) -> Index<Accessor> {
        let index = self.push_attribute(floats(Type::Vec3), count, content);
        let accessor = &mut self.root.accessors[index.value()];
        let [min, max] = bounds.map(|corner| Some(Value::from(corner.to_array().to_vec())));
        (accessor.min, accessor.max) = (min, max);
        index
    }

    /// Adds triangles, with as short numbers as their corners allow.
    pub(super) fn push_triangles(&mut self, triangles: &[[u32; 3]]) -> Index<Accessor> {
        let corners = triangles.as_flattened();
        // 65535 itself would restart the primitive.
        let is_short = corners.iter().all(|&corner| corner < u32::from(u16::MAX));
        let (component, bytes): (_, Vec<u8>) = if is_short {
            (ComponentType::U16, corners.iter().flat_map(|&corner| (corner as u16).to_le_bytes()).collect())
        } else {
            (ComponentType::U32, corners.iter().flat_map(|corner| corner.to_le_bytes()).collect())
        };
        let target = Some(buffer::Target::ElementArrayBuffer);
        let view = self.push_view(bytes.len(), target, Content::Ready(Cow::Owned(bytes)));
        self.root.push(accessor(Element { component, shape: Type::Scalar }, corners.len(), Some(view)))
    }

    /// Adds numbers that are no vertex attribute: key times, key values, matrices.
    pub(super) fn push_numbers(&mut self, shape: Type, numbers: &[f32]) -> Index<Accessor> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let view = self.push_view(bytes.len(), None, Content::Ready(Cow::Owned(bytes)));
        self.root.push(accessor(floats(shape), numbers.len() / shape.multiplicity(), Some(view)))
    }

    /// Adds key times, ascending.
    pub(super) fn push_times(&mut self, seconds: &[f32]) -> Index<Accessor> {
        let index = self.push_numbers(Type::Scalar, seconds);
        let accessor = &mut self.root.accessors[index.value()];
        let bound = |time: Option<&f32>| time.map(|&time| Value::from(vec![time]));
        (accessor.min, accessor.max) = (bound(seconds.first()), bound(seconds.last()));
        index
    }

    /// Adds a channel to the animation.
    pub(super) fn push_track(
        &mut self,
        node: Index<Node>,
        property: Property,
        interpolation: Interpolation,
        [input, output]: [Index<Accessor>; 2],
    ) {
        let sampler = Sampler { extensions: None, extras: None, input, interpolation: Valid(interpolation), output };
        let sampler = Index::push(&mut self.samplers, sampler);
        let target = Target { extensions: None, extras: None, node, path: Valid(property) };
        self.channels.push(Channel { sampler, target, extensions: None, extras: None });
    }

    /// The finished JSON; `uri` names the buffer's file, if it has one of its own.
    pub(super) fn to_json(&self, uri: Option<String>) -> Result<Value, serde_json::Error> {
        let mut root = self.root.clone();
        let buffer = json::Buffer {
            byte_length: USize64(self.binary.length()),
            name: None,
            uri,
            extensions: None,
            extras: None,
        };
        root.buffers = vec![buffer];
        let scene = json::Scene { extensions: None, extras: None, name: None, nodes: self.scene_nodes.clone() };
        root.scene = Some(root.push(scene));
        if !self.channels.is_empty() {
            root.push(json::Animation {
                extensions: None,
                extras: None,
                channels: self.channels.clone(),
                name: Some(self.animation.clone()),
                samplers: self.samplers.clone(),
            });
        }
        let mut value = root.to_value()?;
        self.looks.insert_into(&mut value);
        Ok(value)
    }
}

/// An accessor over a whole buffer view.
pub(super) fn accessor(element: Element, count: usize, view: Option<Index<View>>) -> Accessor {
    Accessor {
        buffer_view: view,
        byte_offset: None,
        count: USize64::from(count),
        component_type: Valid(GenericComponentType(element.component)),
        extensions: None,
        extras: None,
        type_: Valid(element.shape),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
    }
}
