//! Creates files and folders that only their owner can read, for the contents of runs.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    path::Path,
};

/// Opens a file that only its owner can read.
pub(crate) fn owner_only(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::{
            fs::Permissions,
            os::unix::fs::{OpenOptionsExt, PermissionsExt},
        };

        let file = options.mode(0o600).open(path)?;
        // The mode above applies to new files; an existing one may be readable by others.
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

/// Creates a folder that only its owner can read; an existing folder is left unchanged.
pub(crate) fn owner_only_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
