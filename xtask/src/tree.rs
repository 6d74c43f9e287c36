//! The repository's own text files, without what is built or fetched.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold nothing of ours.
const SKIPPED: [&str; 6] = [
    ".git",
    "target",
    "node_modules",
    "dist",
    "dist-gallery",
    "generated",
];

/// One text file of the repository.
#[derive(Clone, Debug)]
pub(crate) struct TextFile {
    /// Its path from the root, with `/` between the parts.
    pub(crate) path: String,
    /// Its contents.
    pub(crate) text: String,
}

/// The repository's root folder.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask
        .parent()
        .expect("xtask lies in the repository")
        .to_path_buf()
}

/// Every UTF-8 file below `root`, ordered by path; images and other binaries are left out.
pub(crate) fn read(root: &Path) -> Result<Vec<TextFile>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).map_err(|e| format!("read {}: {e}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("read {}: {e}", folder.display()))?;
            let path = entry.path();
            let kind = entry
                .file_type()
                .map_err(|e| format!("read {}: {e}", path.display()))?;
            if kind.is_dir() {
                let name = entry.file_name();
                if !SKIPPED.iter().any(|skipped| name == *skipped) {
                    folders.push(path);
                }
            } else if kind.is_file() && entry.file_name() != ".git" {
                let bytes = fs::read(&path).map_err(|e| format!("read {}: {e}", path.display()))?;
                if let Ok(text) = String::from_utf8(bytes) {
                    files.push(TextFile {
                        path: relative(root, &path),
                        text,
                    });
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn relative(root: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).components();
    parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}
