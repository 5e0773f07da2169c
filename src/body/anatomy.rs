//! Which joint a name means, whatever convention the skeleton is named by.
//!
//! ```text
//!              knee of the left leg     what is left without prefix, side, digits and joiners
//! Mixamo       mixamorig:LeftLeg        leg
//! MakeHuman    lowerleg01.L             lowerleg
//! Rigify       DEF-shin.L               shin
//! KayKit       lowerleg.l               lowerleg
//! CMU          ltibia                   tibia
//! Unreal       calf_l                   calf
//! ```
//!
//! A joint stands where its bone begins: `left_knee` is the joint of the shin, `right_hip` that of the thigh.

/// A part of a body by its joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Pelvis,
    Spine,
    Chest,
    Neck,
    Head,
    Clavicle,
    UpperArm,
    Forearm,
    Hand,
    Thigh,
    Shin,
    Foot,
    Toe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// What a joint is in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Role {
    part: Part,
    side: Option<Side>,
}

/// Words for each part, lower case without joiners.
const WORDS: [(Part, &[&str]); 13] = [
    (Part::Pelvis, &["pelvis", "hips", "hip"]),
    (Part::Spine, &["spine", "lowerback", "abdomen", "waist"]),
    (Part::Chest, &["chest", "thorax", "upperback", "upperchest"]),
    (Part::Neck, &["neck", "lowerneck", "upperneck"]),
    (Part::Head, &["head"]),
    (Part::Clavicle, &["clavicle", "collar", "collarbone", "shoulder"]),
    (Part::UpperArm, &["upperarm", "uparm", "arm", "humerus"]),
    (Part::Forearm, &["forearm", "lowerarm", "lowarm", "radius", "elbow"]),
    (Part::Hand, &["hand", "wrist"]),
    (Part::Thigh, &["thigh", "upperleg", "upleg", "femur"]),
    (Part::Shin, &["shin", "lowerleg", "lowleg", "leg", "calf", "tibia", "knee"]),
    (Part::Foot, &["foot", "ankle"]),
    (Part::Toe, &["toe", "toes", "toebase"]),
];
/// Rigify numbers the whole back from the hips to the head.
const RIGIFY: [(&str, Part); 6] = [
    ("def-spine", Part::Pelvis),
    ("spine.002", Part::Chest),
    ("spine.003", Part::Chest),
    ("spine.004", Part::Neck),
    ("spine.005", Part::Neck),
    ("spine.006", Part::Head),
];
/// Prefixes of rigs that say nothing about the part.
const PREFIXES: [&str; 5] = ["def", "org", "bip", "base", "cc"];

/// The joint of `names` that `asked` means: the one of that name, in other case and without a rig's prefix if need be, else
/// the uppermost that is the same part of the body. Parents come before their children.
pub(super) fn find_joint(names: &[String], asked: &str) -> Option<usize> {
    let exact = names.iter().position(|name| name == asked);
    let same = |name: &String| bare(name).eq_ignore_ascii_case(bare(asked));
    let by_role = || {
        let wanted = role(asked)?;
        names.iter().position(|name| role(name) == Some(wanted))
    };
    exact.or_else(|| names.iter().position(same)).or_else(by_role)
}

/// A name without the rig's: `mixamorig:Hips`, `Armature|Hips`.
fn bare(name: &str) -> &str {
    name.rsplit([':', '|']).next().unwrap_or(name)
}

/// What a joint of this name is, as far as names tell.
fn role(name: &str) -> Option<Role> {
    let lower = bare(name).to_ascii_lowercase();
    let of_rigify = RIGIFY.iter().find(|(own, _)| lower == *own || lower.strip_prefix("def-") == Some(own));
    if let Some(&(_, part)) = of_rigify {
        return Some(Role { part, side: None });
    }
    let (mut side, mut stem) = (None, String::new());
    for word in words(bare(name)) {
        match word.as_str() {
            "l" | "left" if side.is_none() => side = Some(Side::Left),
            "r" | "right" if side.is_none() => side = Some(Side::Right),
            prefix if stem.is_empty() && PREFIXES.contains(&prefix) => {}
            other => stem.push_str(other),
        }
    }
    let (part, own_side) = part(&stem).map(|part| (part, None)).or_else(|| sided(&stem))?;
    let side = side.or(own_side);
    // A hip on a side is where the thigh begins.
    let part = if part == Part::Pelvis && side.is_some() { Part::Thigh } else { part };
    Some(Role { part, side })
}

/// The side that is the first letter of a word, as in `lfemur`, and the part.
fn sided(stem: &str) -> Option<(Part, Option<Side>)> {
    let left = stem.strip_prefix('l').and_then(part).map(|part| (part, Some(Side::Left)));
    left.or_else(|| stem.strip_prefix('r').and_then(part).map(|part| (part, Some(Side::Right))))
}

fn part(stem: &str) -> Option<Part> {
    WORDS.iter().find(|(_, words)| words.contains(&stem)).map(|(part, _)| *part)
}

/// The words of a name, lower case: parted at joiners, digits and where capitals begin.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphabetic() || letter.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphabetic(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Left arm and leg in some conventions: clavicle, upper arm, forearm, hand, thigh, shin, foot.
    const LEFT: [[&str; 7]; 7] = [
        [
            "mixamorig:LeftShoulder",
            "mixamorig:LeftArm",
            "mixamorig:LeftForeArm",
            "mixamorig:LeftHand",
            "mixamorig:LeftUpLeg",
            "mixamorig:LeftLeg",
            "mixamorig:LeftFoot",
        ],
        ["clavicle.L", "upperarm01.L", "lowerarm01.L", "wrist.L", "upperleg01.L", "lowerleg01.L", "foot.L"],
        ["DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L", "DEF-thigh.L", "DEF-shin.L", "DEF-foot.L"],
        ["clavicle.l", "upperarm.l", "lowerarm.l", "hand.l", "upperleg.l", "lowerleg.l", "foot.l"],
        ["lclavicle", "lhumerus", "lradius", "lhand", "lfemur", "ltibia", "lfoot"],
        ["clavicle_l", "upperarm_l", "lowerarm_l", "hand_l", "thigh_l", "calf_l", "foot_l"],
        [
            "Bip01 L Clavicle",
            "Bip01 L UpperArm",
            "Bip01 L Forearm",
            "Bip01 L Hand",
            "Bip01 L Thigh",
            "Bip01 L Calf",
            "Bip01 L Foot",
        ],
    ];
    const ASKED: [&str; 7] =
        ["clavicle_l", "left upper arm", "LeftElbow", "left_hand", "left_hip", "left_knee", "ankle.L"];

    fn right(left: &str) -> String {
        let swaps = [("Left", "Right"), (".L", ".R"), (".l", ".r"), ("_l", "_r"), (" L ", " R ")];
        let swapped = swaps.iter().find(|(from, _)| left.contains(from)).map(|(from, to)| left.replace(from, to));
        swapped.unwrap_or_else(|| format!("r{}", &left[1..]))
    }

    #[test]
    fn joints_are_found_in_every_convention_by_what_they_are() {
        for left in LEFT {
            let mut names: Vec<String> = vec!["Hips".to_owned()];
            names.extend(left.map(right));
            names.extend(left.map(str::to_owned));
            for (place, asked) in ASKED.iter().enumerate() {
                assert_eq!(find_joint(&names, asked), Some(8 + place), "{asked} of {names:?}");
                assert_eq!(find_joint(&names, &left[place].replace("left", "LEFT")), Some(8 + place));
            }
            assert_eq!(find_joint(&names, "pelvis"), Some(0));
            assert_eq!(find_joint(&["DEF-spine", "DEF-spine.006"].map(str::to_owned), "head"), Some(1));
        }
    }

    #[test]
    fn an_exact_name_wins_and_what_is_no_part_is_not_found() {
        let names =
            ["thigh_l", "LeftUpLeg", "left_hip", "leg_joint_L_1", "lowerleg01.L", "lowerleg02.L"].map(str::to_owned);
        assert_eq!(find_joint(&names, "left_hip"), Some(2));
        assert_eq!(find_joint(&names, "rig:leftupleg"), Some(1));
        assert_eq!(find_joint(&names, "thigh.L"), Some(0));
        assert_eq!(find_joint(&names, "left_knee"), Some(4));
        for asked in ["right_knee", "knee", "tail", "", "leg_joint"] {
            assert_eq!(find_joint(&names, asked), None, "{asked}");
        }
    }
}
