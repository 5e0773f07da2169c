//! How much memory the process took.

/// Most memory that the process held at once so far, MiB; none where the system does not say.
pub(crate) fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some((kib / 1024.0 * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_peak_is_that_of_this_process() {
        let held = vec![1_u8; 32 << 20];
        let peak = peak_mib().expect("Linux says");
        assert!((32.0..1e6).contains(&peak) && held[12345] == 1, "{peak}");
    }
}
