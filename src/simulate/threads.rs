//! Bends that follow on each other, as lines through the cloth and in the pieces that are solved at once.
//!
//! ```text
//!   o--o--o--o--o--o--o--o--o--o--o--o     a thread: the bends at its inner particles, each sharing an edge with the next
//!   [-----------------]                    pieces end where a part of the cloth ends, where the thread comes back to a
//!                     [--------------]     particle, and at the seam of one that goes round. Across such a joint
//!              [-------------]             a window holds, too: bends near it are shared between window and piece.
//! ```

use std::ops::Range;

use crate::springs::BendSpring;
use crate::topology::Parts;

/// Bends on either side of a joint that its window has.
const REACH: usize = 16;
/// Windows that would be shorter do not pay.
const SHORTEST_REACH: usize = 4;

/// Bends in a line: bend `i` is on the particles `i`, `i + 1` and `i + 2`.
#[derive(Debug, PartialEq)]
pub(super) struct Thread {
    /// Two more than bends; of a thread that goes round the first two once more at the end.
    pub(super) particles: Vec<u32>,
    pub(super) goes_round: bool,
}

impl Thread {
    /// How many bends it has.
    fn bends(&self) -> usize {
        self.particles.len() - 2
    }
}

/// A stretch of a thread whose bends are solved at once: no particle is in it twice, and all are in one node of the parts.
#[derive(Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) node: usize,
    /// Which part of each bend speaks here, 0 to 1.
    pub(super) shares: Vec<f32>,
    /// Two more than bends: bend `i` is on the particles `i`, `i + 1` and `i + 2`.
    pub(super) particles: Vec<u32>,
}

/// All threads of a cloth of so many particles. Every bend is in one of them.
pub(super) fn threads(bends: &[BendSpring], particles: usize) -> Vec<Thread> {
    let at = AtMiddles::new(bends, particles);
    let mut is_taken = vec![false; bends.len()];
    let mut threads = Vec::new();
    for start in 0..bends.len() {
        if is_taken[start] {
            continue;
        }
        is_taken[start] = true;
        let [a, m, b] = particles_of(&bends[start]);
        let mut ahead = (vec![start as u32], vec![m, b]);
        let goes_round = at.follow(bends, &mut is_taken, &mut ahead);
        let mut behind = (Vec::new(), vec![m, a]);
        if !goes_round {
            at.follow(bends, &mut is_taken, &mut behind);
        }
        let particles = behind.1.into_iter().skip(1).rev().chain(ahead.1).collect();
        threads.push(Thread { particles, goes_round });
    }
    threads
}

fn particles_of(bend: &BendSpring) -> [u32; 3] {
    [bend.a.0, bend.middle.0, bend.b.0]
}

/// The bends of each middle.
struct AtMiddles {
    starts: Vec<u32>,
    bends: Vec<u32>,
}

impl AtMiddles {
    fn new(bends: &[BendSpring], particles: usize) -> AtMiddles {
        let mut starts = vec![0_u32; particles + 1];
        bends.iter().for_each(|bend| starts[bend.middle.index() + 1] += 1);
        (0..particles).for_each(|p| starts[p + 1] += starts[p]);
        let mut next = starts.clone();
        let mut of_middles = vec![0; bends.len()];
        for (i, bend) in (0..).zip(bends) {
            let place = &mut next[bend.middle.index()];
            of_middles[*place as usize] = i;
            *place += 1;
        }
        AtMiddles { starts, bends: of_middles }
    }

    /// Goes on from the last two of the particles as long as bends follow; whether that led back to the first bend.
    fn follow(
        &self,
        bends: &[BendSpring],
        is_taken: &mut [bool],
        (line, particles): &mut (Vec<u32>, Vec<u32>),
    ) -> bool {
        let first = line.first().copied();
        loop {
            let [from, middle] = [particles[particles.len() - 2], particles[particles.len() - 1]];
            let here = &self.bends[self.starts[middle as usize] as usize..self.starts[middle as usize + 1] as usize];
            let goes_on = |&&i: &&u32| [bends[i as usize].a.0, bends[i as usize].b.0].contains(&from);
            let Some(&next) = here.iter().find(goes_on) else { return false };
            let [a, _, b] = particles_of(&bends[next as usize]);
            if is_taken[next as usize] {
                return Some(next) == first && line.len() > 2;
            }
            is_taken[next as usize] = true;
            line.push(next);
            particles.push(a ^ b ^ from);
        }
    }
}

/// Cuts threads in pieces.
pub(super) struct Cutter<'a> {
    parts: &'a Parts,
    /// The last run of bends that each particle was in.
    last_run: Vec<u32>,
    runs: u32,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(particles: usize, parts: &'a Parts) -> Cutter<'a> {
        Cutter { parts, last_run: vec![0; particles], runs: 0 }
    }

    /// The pieces of a thread, windows last.
    pub(super) fn pieces(&mut self, thread: &Thread) -> Vec<Piece> {
        let joints = self.joints(thread);
        let windows = self.windows(thread, &joints);
        let count = thread.bends();
        let mut share = vec![1.0_f32; count];
        for window in &windows {
            for at in window.range() {
                share[at.rem_euclid(count as isize) as usize] -= window.share(at);
            }
        }
        let ends = joints.iter().copied().filter(|&joint| joint > 0).chain([count]);
        let mut start = 0;
        let mut pieces = Vec::new();
        for end in ends {
            let (run, share_of) = (start as isize..end as isize, |at: isize| share[at as usize]);
            start = end;
            pieces.extend(self.piece(thread, run, share_of));
        }
        pieces.extend(windows.iter().filter_map(|window| self.piece(thread, window.range(), |at| window.share(at))));
        pieces
    }

    /// Where the run of bends before ends and another begins; 0 only where a thread goes round.
    fn joints(&mut self, thread: &Thread) -> Vec<usize> {
        let mut joints = Vec::new();
        if thread.goes_round {
            joints.push(0);
        }
        let mut node = None;
        for (i, corners) in thread.particles.windows(3).enumerate() {
            let here = Some(self.parts.node_of(corners));
            if i == 0 || here != node || self.last_run[corners[2] as usize] == self.runs {
                if i > 0 {
                    joints.push(i);
                }
                self.runs += 1;
                corners.iter().for_each(|&p| self.last_run[p as usize] = self.runs);
            }
            self.last_run[corners[2] as usize] = self.runs;
            node = here;
        }
        joints
    }

    /// The windows of joints: one for all that are near each other.
    fn windows(&mut self, thread: &Thread, joints: &[usize]) -> Vec<Window> {
        let count = thread.bends() as isize;
        let mut windows: Vec<Window> = Vec::new();
        for &joint in joints {
            let joint = joint as isize;
            match windows.last_mut() {
                Some(last) if joint - last.last <= 2 * REACH as isize => last.last = joint,
                _ => windows.push(Window { first: joint, last: joint, reach: REACH, bends: 0..count }),
            }
        }
        if thread.goes_round {
            windows.iter_mut().for_each(|window| window.bends = -count..2 * count);
            let around = windows.last().map_or(0, |last| count - last.last);
            if windows.len() > 1 && around <= 2 * REACH as isize {
                let last = windows.pop().expect("there are two");
                windows[0].first = last.first - count;
            }
        }
        windows.retain_mut(|window| {
            loop {
                if !self.comes_back(thread, window.range()) {
                    break true;
                }
                window.reach /= 2;
                if window.reach < SHORTEST_REACH {
                    break false;
                }
            }
        });
        windows
    }

    /// Whether a particle is in these bends more than once.
    fn comes_back(&mut self, thread: &Thread, bends: Range<isize>) -> bool {
        self.runs += 1;
        let runs = self.runs;
        line(thread, bends).any(|p| std::mem::replace(&mut self.last_run[p as usize], runs) == runs)
    }

    /// The piece of these bends, unless none of them speaks.
    fn piece(&self, thread: &Thread, bends: Range<isize>, share: impl Fn(isize) -> f32) -> Option<Piece> {
        let particles: Vec<u32> = line(thread, bends.clone()).collect();
        let shares: Vec<f32> = bends.map(share).collect();
        let speaks = shares.iter().any(|share| *share > 0.0);
        speaks.then(|| Piece { node: self.parts.node_of(&particles), shares, particles })
    }
}

/// The particles of bends of a thread; of one that goes round they may begin before 0 and end after the last.
fn line(thread: &Thread, bends: Range<isize>) -> impl Iterator<Item = u32> {
    let count = thread.bends() as isize;
    let at = move |i: isize| if thread.goes_round { i.rem_euclid(count) } else { i };
    (bends.start..bends.end + 2).map(move |i| thread.particles[at(i) as usize])
}

/// Bends around joints, from those beside `first` to those beside `last`.
#[derive(Debug)]
struct Window {
    first: isize,
    last: isize,
    reach: usize,
    /// Those there are.
    bends: Range<isize>,
}

impl Window {
    fn range(&self) -> Range<isize> {
        let reach = self.reach as isize;
        (self.first - reach).max(self.bends.start)..(self.last + reach).min(self.bends.end)
    }

    /// Part of a bend that speaks in the window: all between the joints, smoothly less away from them.
    fn share(&self, bend: isize) -> f32 {
        let away = (self.first - 1 - bend).max(bend - self.last).max(0);
        let near = 1.0 - (away as f32 + 0.5) / self.reach as f32;
        if (self.first..self.last).contains(&bend) { 1.0 } else { near * near * (3.0 - 2.0 * near) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::springs::SpringNetwork;
    use crate::topology::{ParticleId, Topology, build, grids};

    fn bends_along_edges(topology: &Topology) -> Vec<BendSpring> {
        let springs = SpringNetwork::build(topology);
        springs.bend.iter().filter(|bend| springs.is_along_edges(bend)).copied().collect()
    }

    /// The pieces of a cloth, having checked that each is in its node and has no particle twice, and that every bend speaks
    /// once in all.
    fn checked_pieces(topology: &Topology) -> Vec<Piece> {
        let bends = bends_along_edges(topology);
        let mut cutter = Cutter::new(topology.positions.len(), &topology.parts);
        let threads = threads(&bends, topology.positions.len());
        let pieces: Vec<Piece> = threads.iter().flat_map(|thread| cutter.pieces(thread)).collect();
        let mut shares = BTreeMap::new();
        for piece in &pieces {
            let range = topology.parts.range(piece.node);
            assert!(piece.particles.iter().all(|&p| range.contains(&(p as usize))));
            let mut particles = piece.particles.clone();
            particles.sort_unstable();
            particles.dedup();
            assert_eq!((particles.len(), piece.shares.len() + 2), (piece.particles.len(), piece.particles.len()));
            for (share, around) in piece.shares.iter().zip(piece.particles.windows(3)) {
                *shares.entry((around[0].min(around[2]), around[1], around[0].max(around[2]))).or_insert(0.0) += share;
            }
        }
        assert_eq!(shares.len(), bends.len());
        assert!(shares.values().all(|share: &f32| (share - 1.0).abs() < 1e-6), "{shares:?}");
        pieces
    }

    #[test]
    fn threads_are_the_rows_and_columns_of_a_grid() {
        let topology = build(&grids::grid(9, 5)).expect("a grid");
        let threads = threads(&bends_along_edges(&topology), topology.positions.len());
        assert!(threads.iter().all(|thread| !thread.goes_round));
        let lengths = |length| threads.iter().filter(|thread| thread.particles.len() == length).count();
        assert_eq!((threads.len(), lengths(9), lengths(5)), (14, 5, 9));
        assert_eq!(checked_pieces(&topology).len(), 14);
    }

    #[test]
    fn a_ring_is_closed_by_a_window_over_its_seam() {
        let topology = build(&grids::tube(40, 3)).expect("a tube");
        let threads = threads(&bends_along_edges(&topology), topology.positions.len());
        let rings: Vec<_> = threads.iter().filter(|thread| thread.goes_round).collect();
        assert!(rings.len() == 3 && rings.iter().all(|ring| ring.bends() == 40));
        let pieces = checked_pieces(&topology);
        let (whole, windows): (Vec<_>, Vec<_>) =
            pieces.iter().filter(|piece| piece.shares.len() > 1).partition(|piece| piece.shares.len() == 38);
        assert_eq!((whole.len(), windows.len()), (3, 3));
        let middle = windows[0].shares.len() / 2;
        assert!(windows[0].shares[middle] == 1.0 && windows[0].shares[0] < 0.01, "{:?}", windows[0].shares);
    }

    #[test]
    fn windows_hold_the_parts_of_a_large_cloth_together() {
        let grid = build(&grids::grid(60, 60)).expect("a grid");
        let (topology, _) = grid.halved(2, &[ParticleId(0)]);
        let pieces = checked_pieces(&topology);
        let leaves = topology.parts.leaves();
        let over_cuts: Vec<_> = pieces.iter().filter(|piece| piece.node + 1 < leaves).collect();
        assert!(over_cuts.len() >= 60, "{}", over_cuts.len());
        // What is left of threads that end beside a cut hardly speaks.
        let is_left = |piece: &Piece| piece.shares.iter().all(|share| *share < 0.1);
        assert!(over_cuts.iter().all(|piece| piece.shares.len() >= 2 * SHORTEST_REACH || is_left(piece)));
    }

    #[test]
    fn a_thread_that_comes_back_to_a_particle_is_cut_there() {
        // 0 1 2 3 4 5 and then through 2 again, across.
        let line = [0, 1, 2, 3, 4, 5, 2, 6, 7];
        let bend = |w: &[u32]| BendSpring { a: ParticleId(w[0]), middle: ParticleId(w[1]), b: ParticleId(w[2]) };
        let bends: Vec<BendSpring> = line.windows(3).map(bend).collect();
        let threads = threads(&bends, 8);
        assert_eq!(threads.len(), 1);
        assert_eq!(threads[0].particles, line);
        let parts = Parts::whole(8);
        let pieces = Cutter::new(8, &parts).pieces(&threads[0]);
        let particles: Vec<_> = pieces.iter().map(|piece| piece.particles.as_slice()).collect();
        assert_eq!(particles, [&line[..6], &line[4..]]);
    }
}
