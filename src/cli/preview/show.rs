//! What `--show` makes of a frame: colours, marks and words.

use super::arguments::Show;
use super::marks;
use super::source::Take;
use super::strain::Strain;
use crate::body::Moment;
use crate::geometry::{Aabb, Vec3};
use crate::preview::{Entry, Figure, FigureKind, Mark, Paint, Pose};
use crate::report::Probe;

/// What a picture shows beside shapes.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// The colours of each figure, where they are not its own.
    pub(super) paints: Vec<Option<Paint>>,
    pub(super) marks: Vec<Mark>,
    /// What the colours mean.
    pub(super) legend: Vec<Entry>,
    /// For the caption, in a few words.
    pub(super) words: Option<String>,
}

/// What is shown of a take, and what is worked out once for all of its frames.
pub(super) struct Showing<'a> {
    take: &'a Take,
    show: Show,
    probe: Option<Probe<'a>>,
    strain: Option<Strain>,
}

impl<'a> Showing<'a> {
    pub(super) fn new(take: &'a Take, show: Show) -> Showing<'a> {
        let first = Moment::At(take.film.timeline.clip_seconds(0));
        let body = take.film.body().filter(|_| show == Show::Penetration);
        let strain = matches!(show, Show::Strain | Show::Wire).then(|| Strain::new(take));
        Showing { take, show, probe: body.map(|body| Probe::new(body, first)), strain }
    }

    /// What is drawn in frame `index`.
    pub(super) fn drawing(&self, index: usize, pose: &Pose) -> Drawing {
        let moment = Moment::At(self.take.film.timeline.clip_seconds(index));
        let played = self.take.scene.as_ref();
        let drawing = match self.show {
            // A map belongs to a collision state, not to a frame.
            Show::Shaded | Show::Map => None,
            Show::Strain => self.strain.as_ref().map(|strain| strain.drawing(pose)),
            Show::Wire => self.strain.as_ref().map(|strain| marks::wire(self.take, &strain.edges, pose)),
            Show::Springs => played.map(|played| marks::springs(played, index)),
            Show::States => played.map(|played| marks::states(played, index)),
            Show::Contacts => {
                played.zip(self.take.film.body()).map(|(played, body)| marks::contacts(played, index, body, moment))
            }
            Show::Penetration => {
                let probe = self.probe.clone();
                played.zip(probe).map(|(played, mut probe)| {
                    let found = probe.depths(moment, &pose[0], &played.shown().neighbours);
                    marks::penetration(&pose[0], &found)
                })
            }
        };
        drawing.unwrap_or_default()
    }
}

/// Whether a figure is what the picture is about: cloth, or anything where there is none.
pub(super) fn is_subject(take: &Take, figure: &Figure) -> bool {
    figure.kind == FigureKind::Cloth || take.film.figures.iter().all(|figure| figure.kind == FigureKind::Body)
}

/// Room above what has a legend, as a part of its height: the legend is written into the upper left corner.
const LEGEND_ROOM: f32 = 0.22;

/// What is to be seen of `bounds`, with room for a legend where there is one.
pub(super) fn sight(show: Show, bounds: Aabb) -> Aabb {
    let room = if matches!(show, Show::Shaded | Show::Wire) { 0.0 } else { LEGEND_ROOM };
    Aabb { max: bounds.max + Vec3::Y * (room * bounds.size().y), ..bounds }
}

/// The box around what the picture is about.
pub(super) fn subject(take: &Take, pose: &Pose) -> Aabb {
    let figures = take.film.figures.iter().zip(pose);
    let boxes = figures.filter(|(figure, _)| is_subject(take, figure)).map(|(_, positions)| Aabb::around(positions));
    boxes.fold(Aabb::EMPTY, Aabb::union)
}
