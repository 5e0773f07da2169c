//! What a `uri` names: bytes inside the document, or a regular file beneath the document's folder. Nothing else is opened.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::limits::MAX_EXTERNAL_BYTES;
use crate::import::Access;

/// Base64 as exporters write it: padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Longest piece of a `uri` that is repeated in a message.
const SHOWN_CHARACTERS: usize = 120;

/// Why a `uri` gives no bytes.
#[derive(Debug, thiserror::Error)]
pub(super) enum ResourceError {
    #[error("an empty uri")]
    Empty,
    #[error("a uri with a scheme ({0:?}); only data: and relative paths are read")]
    Scheme(String),
    #[error("a path that leads out of the file's folder ({0:?}); --allow-dir DIR lets it")]
    Outside(String),
    #[error("a uri whose percent codes are no UTF-8 or hide a separator ({0:?})")]
    Percent(String),
    #[error("data that is no base64")]
    Base64,
    #[error("{0:?}, which is no regular file")]
    NotAFile(String),
    #[error("more outside data than is read ({} MiB, or as many as --max-file-mb says)", MAX_EXTERNAL_BYTES >> 20)]
    TooBig,
    #[error("{path:?}, which cannot be read ({source})")]
    Io { path: String, source: io::Error },
}

/// Reads what `uri`s name, within a limit for all of them together.
#[derive(Debug)]
pub(super) struct Resources<'a> {
    folder: &'a Path,
    access: &'a Access,
    bytes_left: u64,
}

impl<'a> Resources<'a> {
    pub(super) fn new(folder: &'a Path, access: &'a Access) -> Resources<'a> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Resources { folder, access, bytes_left: access.limit(MAX_EXTERNAL_BYTES) }
    }

    /// The bytes that `uri` names.
    pub(super) fn read(&mut self, uri: &str) -> Result<Vec<u8>, ResourceError> {
        let bytes = match strip_data_scheme(uri) {
            Some(rest) => self.decode_data(rest)?,
            None => self.read_file(uri)?,
        };
        self.charge(bytes.len())?;
        Ok(bytes)
    }

    /// Bytes that may still be copied.
    pub(super) fn bytes_left(&self) -> u64 {
        self.bytes_left
    }

    /// Counts `bytes` that are copied towards the limit.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), ResourceError> {
        self.bytes_left = self.bytes_left.checked_sub(bytes as u64).ok_or(ResourceError::TooBig)?;
        Ok(())
    }

    fn decode_data(&self, rest: &str) -> Result<Vec<u8>, ResourceError> {
        let (header, payload) = rest.split_once(',').ok_or(ResourceError::Base64)?;
        if payload.len() as u64 / 2 > self.bytes_left {
            return Err(ResourceError::TooBig);
        }
        let payload: Vec<u8> = percent_decode_str(payload).collect();
        if !header.to_ascii_lowercase().ends_with(";base64") {
            return Ok(payload);
        }
        BASE64.decode(payload.trim_ascii()).map_err(|_| ResourceError::Base64)
    }

    fn read_file(&self, uri: &str) -> Result<Vec<u8>, ResourceError> {
        let path = self.resolve(uri)?;
        let failed = |source| ResourceError::Io { path: shown(uri), source };
        let metadata = fs::metadata(&path).map_err(failed)?;
        if !metadata.is_file() {
            return Err(ResourceError::NotAFile(shown(uri)));
        }
        if metadata.len() > self.bytes_left {
            return Err(ResourceError::TooBig);
        }
        let mut bytes = Vec::new();
        let file = File::open(&path).map_err(failed)?;
        file.take(self.bytes_left.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// The regular file that `uri` names, if it may be read.
    pub(super) fn file(&self, uri: &str) -> Option<PathBuf> {
        let path = if strip_data_scheme(uri).is_some() { None } else { self.resolve(uri).ok() };
        path.filter(|path| path.is_file())
    }

    /// The real path of `uri`, which lies beneath an allowed folder whatever links are on the way.
    fn resolve(&self, uri: &str) -> Result<PathBuf, ResourceError> {
        let path = plain_path(uri, self.access.leads_out())?;
        let found = self.access.resolve(self.folder, &path);
        let found = found.map_err(|source| ResourceError::Io { path: shown(uri), source })?;
        found.ok_or_else(|| ResourceError::Outside(shown(uri)))
    }
}

/// A `uri` as messages repeat it.
fn shown(uri: &str) -> String {
    let more = if uri.chars().nth(SHOWN_CHARACTERS).is_some() { "..." } else { "" };
    uri.chars().take(SHOWN_CHARACTERS).collect::<String>() + more
}

fn strip_data_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_at_checked(5)?;
    scheme.eq_ignore_ascii_case("data:").then_some(rest)
}

/// A `uri` as a path of plain names; where it may lead out, of steps to the folder above, too, or from the root on.
fn plain_path(uri: &str, leads_out: bool) -> Result<PathBuf, ResourceError> {
    if uri.is_empty() {
        return Err(ResourceError::Empty);
    }
    if let Some((scheme, _)) = uri.split_once(':').filter(|(scheme, _)| !scheme.contains(['/', '.', '%', ' '])) {
        return Err(ResourceError::Scheme(scheme.chars().take(16).collect()));
    }
    let hidden = |_| ResourceError::Percent(shown(uri));
    let decoded = percent_decode_str(uri).decode_utf8().map_err(hidden)?;
    let separators = |text: &str| text.matches(['/', '\\']).count();
    if separators(&decoded) != separators(uri) || decoded.contains(['\0', '\\']) {
        return Err(ResourceError::Percent(shown(uri)));
    }
    let path = PathBuf::from(decoded.as_ref());
    let plain = path.components().all(|part| match part {
        Component::Normal(_) | Component::CurDir => true,
        Component::ParentDir | Component::RootDir => leads_out,
        Component::Prefix(_) => false,
    });
    if plain { Ok(path) } else { Err(ResourceError::Outside(shown(uri))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    static CLOSED: Access = Access { folders: Vec::new(), max_file_bytes: None };

    #[test]
    fn only_plain_relative_paths_are_followed() {
        for uri in [
            "../a",
            "/etc/passwd",
            "a/../../b",
            "%2e%2e/a",
            "http://x/y",
            "file:///x",
            "C:\\x",
            "%FF",
            "a%2Fb",
            "a\\b",
            "",
        ] {
            assert!(plain_path(uri, false).is_err(), "{uri}");
        }
        assert_eq!(plain_path("./sub/a%20b.bin", false).unwrap(), Path::new("./sub/a b.bin"));
        assert_eq!(plain_path("../a.bin", true).unwrap(), Path::new("../a.bin"));
        assert_eq!(plain_path("/a.bin", true).unwrap(), Path::new("/a.bin"));
        assert!(plain_path("file:///x", true).is_err());
    }

    #[test]
    fn data_uris_are_decoded_padded_or_not() {
        let mut resources = Resources::new(Path::new("."), &CLOSED);
        for uri in ["data:application/octet-stream;base64,aGk=", "data:;base64,aGk", "DATA:;base64,aGk%3D", "data:,hi"]
        {
            assert_eq!(resources.read(uri).unwrap(), b"hi", "{uri}");
        }
        assert!(resources.read("data:;base64,***").is_err());
    }

    #[test]
    fn links_out_of_the_folder_folders_and_missing_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::NamedTempFile::new().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/ok.bin"), b"ok").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outside.path(), folder.path().join("link")).unwrap();
        let mut resources = Resources::new(folder.path(), &CLOSED);
        assert_eq!(resources.read("sub/ok.bin").unwrap(), b"ok");
        for uri in ["link", "sub", "none.bin"] {
            assert!(resources.read(uri).is_err(), "{uri}");
        }
        drop(outside);
    }

    #[test]
    fn whole_paths_are_followed_beneath_folders_that_are_allowed() {
        let [own, shared, secret] = std::array::from_fn(|_| tempfile::tempdir().unwrap());
        let uri = |folder: &tempfile::TempDir| format!("{}/a.bin", folder.path().display());
        [&shared, &secret].iter().for_each(|folder| fs::write(folder.path().join("a.bin"), b"a").unwrap());
        let access = Access { folders: vec![shared.path().to_owned()], max_file_bytes: None };
        let mut resources = Resources::new(own.path(), &access);
        assert_eq!(resources.read(&uri(&shared)).unwrap(), b"a");
        assert!(matches!(resources.read(&uri(&secret)), Err(ResourceError::Outside(_))));
        assert!(matches!(Resources::new(own.path(), &CLOSED).read(&uri(&shared)), Err(ResourceError::Outside(_))));
    }
}
