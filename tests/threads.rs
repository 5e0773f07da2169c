//! The same cloth on any number of threads.

#[allow(dead_code)]
mod scene;

use scene::{Scene, flat, sheet, still};
use toile::simulate::Parameters;

#[test]
fn a_cloth_in_parts_goes_the_same_way_to_the_bit_on_any_number_of_threads() {
    let scene = Scene::new(sheet(150, flat), "vertex:0,149", Parameters { substeps: Some(2), ..still() });
    assert!(scene.topology.parts.leaves() > 1);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let frame = pool.install(|| scene.last_frame(6));
        frame.iter().flat_map(|p| p.to_array()).map(f32::to_bits).collect::<Vec<_>>()
    };
    let alone = on(1);
    assert!(alone.iter().all(|&bits| f32::from_bits(bits).is_finite()));
    assert!(alone == on(2) && alone == on(5));
}
