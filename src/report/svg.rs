//! Just enough SVG for a diagram.

use std::fmt::Write;

/// A colour, `#rrggbb`.
pub(super) type Colour = &'static str;

/// Where a text is anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lettering {
    pub(super) size: u32,
    pub(super) colour: Colour,
    pub(super) anchor: Anchor,
    pub(super) is_bold: bool,
}

/// A drawing in pixels, y down.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    elements: String,
    size: [f64; 2],
}

impl Drawing {
    pub(super) fn new(width: f64, height: f64) -> Drawing {
        Drawing { elements: String::new(), size: [width, height] }
    }

    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], colour: Colour, width: f64) {
        let ([x1, y1], [x2, y2]) = (from, to);
        self.add(format_args!(
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    pub(super) fn polyline(&mut self, points: &[[f64; 2]], colour: Colour, dashes: &str) {
        let places: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let points = places.join(" ");
        let dashes = dash_attribute(dashes);
        self.add(format_args!(
            r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"{dashes}/>"#
        ));
    }

    pub(super) fn dot(&mut self, [x, y]: [f64; 2], colour: Colour) {
        self.add(format_args!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="{colour}"/>"#));
    }

    pub(super) fn ring(&mut self, [x, y]: [f64; 2], colour: Colour) {
        self.add(format_args!(
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="3.8" fill="#ffffff" stroke="{colour}" stroke-width="2"/>"##
        ));
    }

    /// A thick line as curves are drawn.
    pub(super) fn stroke(&mut self, from: [f64; 2], to: [f64; 2], colour: Colour, dashes: &str) {
        let ([x1, y1], [x2, y2]) = (from, to);
        let dashes = dash_attribute(dashes);
        self.add(format_args!(
            r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{colour}" stroke-width="3"{dashes}/>"#
        ));
    }

    /// A diagonal cross: what ended there.
    pub(super) fn cross(&mut self, [x, y]: [f64; 2], colour: Colour) {
        for side in [-1.0, 1.0] {
            self.line([x - 4.5, y - 4.5 * side], [x + 4.5, y + 4.5 * side], colour, 2.2);
        }
    }

    pub(super) fn text(&mut self, [x, y]: [f64; 2], text: &str, lettering: Lettering) {
        let Lettering { size, colour, .. } = lettering;
        let anchor = match lettering.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if lettering.is_bold { r#" font-weight="bold""# } else { "" };
        let text = escaped(text);
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{colour}" text-anchor="{anchor}"{weight}>{text}</text>"#
        ));
    }

    /// A text that reads upwards, centred.
    pub(super) fn upright_text(&mut self, [x, y]: [f64; 2], text: &str, lettering: Lettering) {
        self.add(format_args!(r#"<g transform="translate({x:.1} {y:.1}) rotate(-90)">"#));
        self.text([0.0, 0.0], text, lettering);
        self.add(format_args!("</g>"));
    }

    /// The document.
    pub(super) fn finish(self) -> String {
        let [width, height] = self.size;
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#,
                r#"viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">"#,
                "\n",
                r##"<rect width="{width}" height="{height}" fill="#ffffff"/>"##,
                "\n{elements}</svg>\n"
            ),
            width = width,
            height = height,
            elements = self.elements
        )
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.elements, "{element}");
    }
}

fn dash_attribute(dashes: &str) -> String {
    if dashes.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dashes}""#) }
}

/// `text` as XML has it: names come from files.
pub(super) fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        c if c.is_control() => " ".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}
