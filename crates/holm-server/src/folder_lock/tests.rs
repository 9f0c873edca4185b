use super::ServerFolderLock;
use crate::ServerError;

#[test]
fn a_folder_is_one_servers_until_that_one_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server");
    let first = ServerFolderLock::take(&path).unwrap();
    assert_eq!(ServerFolderLock::take(&path).err(), Some(ServerError::Taken(path.display().to_string())));
    drop(first);
    assert!(ServerFolderLock::take(&path).is_ok());
}
