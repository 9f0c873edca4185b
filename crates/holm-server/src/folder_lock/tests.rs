use super::ServerFolderLock;
use crate::ServerError;

#[test]
fn a_folder_is_one_servers_until_that_one_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("server");
    let first = ServerFolderLock::take(&place).unwrap();
    assert_eq!(ServerFolderLock::take(&place).err(), Some(ServerError::Taken(place.display().to_string())));
    drop(first);
    assert!(ServerFolderLock::take(&place).is_ok());
}
