use super::*;

#[tokio::test]
async fn the_same_bytes_are_kept_once_and_parts_can_be_read() {
    let blobs = MemoryBlobStore::at_most(10);
    let first = blobs.put("a", b"0123456789").await.unwrap();
    assert_eq!(blobs.put("b", b"0123456789").await, Ok(first.clone()), "kept already, so there is room");
    assert_eq!(blobs.get(&first, 3..5).await.unwrap(), b"34");
    assert_eq!(blobs.get(&first, 8..99).await.unwrap(), b"89");
    assert_eq!(blobs.get(&first, 50..99).await.unwrap(), b"");
    let (from, to) = (9, 2);
    assert_eq!(blobs.get(&first, from..to).await.unwrap(), b"");
    assert_eq!(first, "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882");
}

#[tokio::test]
async fn what_does_not_fit_or_is_not_there_is_said() {
    let blobs = MemoryBlobStore::at_most(3);
    assert!(matches!(blobs.put("a", b"0123").await, Err(BlobError::System { .. })));
    assert_eq!(blobs.get("00", 0..1).await, Err(BlobError::Missing { digest: "00".into() }));
    assert!(!format!("{blobs:?}").contains("0123"));
}
