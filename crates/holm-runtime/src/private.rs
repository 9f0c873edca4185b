//! Files that hold what was said in a run belong to their owner alone.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    path::Path,
};

/// Opens a file that nobody else can read.
pub(crate) fn owner_only(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::{
            fs::Permissions,
            os::unix::fs::{OpenOptionsExt, PermissionsExt},
        };

        let file = options.mode(0o600).open(path)?;
        // The mode above is for new files; one that was there may be open to others.
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(file)
    }
    #[cfg(not(unix))]
    options.open(path)
}

/// Makes a folder that nobody else can look into; one that is there stays as it is.
pub(crate) fn owner_only_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
