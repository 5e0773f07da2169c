//! Ctrl-C, SIGTERM and, when the terminal is closed, SIGHUP: the first asks the bake to stop at the next frame, the second ends the
//! process. A file that grows beyond what the process may write is an error of the write, no signal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[cfg(target_os = "linux")]
use signal_hook::consts::SIGHUP;
#[cfg(unix)]
use signal_hook::consts::SIGXFSZ;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Exit codes are this plus the number of the signal, as shells have it.
const SIGNAL_EXIT: u8 = 128;

/// Whether somebody asked this process to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt {
    requested: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupt {
    /// Starts to listen.
    ///
    /// # Errors
    /// If the operating system does not allow it.
    pub(crate) fn listen() -> io::Result<Interrupt> {
        let interrupt = Interrupt::default();
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup()) {
            let status = i32::from(SIGNAL_EXIT) + signal;
            flag::register_conditional_shutdown(signal, status, Arc::clone(&interrupt.requested))?;
            flag::register_usize(signal, Arc::clone(&interrupt.signal), signal as usize)?;
            flag::register(signal, Arc::clone(&interrupt.requested))?;
        }
        #[cfg(unix)]
        flag::register(SIGXFSZ, Arc::default())?;
        Ok(interrupt)
    }

    /// Whether to stop.
    pub(crate) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// The flag itself, for stages that poll it.
    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.requested
    }

    /// Exit code for the signal that came: 129, 130 or 143.
    pub(crate) fn exit_code(&self) -> u8 {
        match self.signal.load(Ordering::Relaxed) {
            0 => SIGNAL_EXIT + SIGINT as u8,
            signal => SIGNAL_EXIT + signal as u8,
        }
    }
}

/// SIGHUP, unless whoever started this process wants it ignored, as `nohup` does. Only Linux says so without unsafe code; elsewhere
/// it is left as it is.
#[cfg(target_os = "linux")]
fn hangup() -> Option<i32> {
    let ignored = u64::from_str_radix(&super::memory::status("SigIgn:")?, 16).ok()?;
    (ignored >> (SIGHUP - 1) & 1 == 0).then_some(SIGHUP)
}

#[cfg(not(target_os = "linux"))]
fn hangup() -> Option<i32> {
    None
}
