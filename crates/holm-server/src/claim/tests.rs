use super::Claim;
use crate::ServerError;

#[test]
fn a_folder_is_one_servers_until_that_one_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("server");
    let first = Claim::take(&place).unwrap();
    assert_eq!(Claim::take(&place).err(), Some(ServerError::Taken(place.display().to_string())));
    drop(first);
    assert!(Claim::take(&place).is_ok());
}
