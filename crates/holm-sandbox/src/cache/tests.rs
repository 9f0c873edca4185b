use std::os::unix::fs::PermissionsExt;

use super::*;

fn code(text: &str) -> TrustedCode {
    TrustedCode::from_compiler(text.as_bytes().to_vec())
}

const ONE: CodeId = CodeId([1; 32]);
const TWO: CodeId = CodeId([2; 32]);

fn folder() -> (tempfile::TempDir, CodeCache) {
    let dir = tempfile::tempdir().unwrap();
    let cache = CodeCache::open(&dir.path().join("deep/cache")).unwrap();
    (dir, cache)
}

#[test]
fn what_was_put_is_there_also_for_the_next_process() {
    let (dir, cache) = folder();
    cache.put(&ONE, &code("one")).unwrap();
    assert_eq!(cache.get(&ONE), Some(code("one")));
    assert_eq!(cache.get(&TWO), None);
    let again = CodeCache::open(&dir.path().join("deep/cache")).unwrap();
    assert_eq!(again.get(&ONE), Some(code("one")));
    cache.put(&ONE, &code("newer")).unwrap();
    assert_eq!(again.get(&ONE), Some(code("newer")));
}

#[test]
fn files_are_for_their_owner_alone_and_no_part_is_left() {
    let (_dir, cache) = folder();
    cache.put(&ONE, &code("one")).unwrap();
    assert_eq!(fs::metadata(&cache.folder).unwrap().permissions().mode() & 0o777, 0o700);
    for entry in fs::read_dir(&cache.folder).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_ne!(entry.path().extension().unwrap_or_default(), "part");
    }
}

#[test]
fn every_changed_byte_is_noticed_and_the_file_removed() {
    let (_dir, cache) = folder();
    cache.put(&ONE, &code("code")).unwrap();
    let path = cache.path(&ONE);
    let good = fs::read(&path).unwrap();
    for index in 0..good.len() {
        let mut bad = good.clone();
        bad[index] ^= 1;
        fs::write(&path, &bad).unwrap();
        assert_eq!(cache.get(&ONE), None, "byte {index}");
        assert!(!path.exists());
        cache.put(&ONE, &code("code")).unwrap();
    }
    for len in 0..good.len() {
        fs::write(&path, &good[..len]).unwrap();
        assert_eq!(cache.get(&ONE), None, "cut at {len}");
        cache.put(&ONE, &code("code")).unwrap();
    }
}

#[test]
fn code_under_another_name_or_another_key_is_not_believed() {
    let (_dir, cache) = folder();
    let (_other_dir, other) = folder();
    cache.put(&ONE, &code("one")).unwrap();
    fs::copy(cache.path(&ONE), cache.path(&TWO)).unwrap();
    assert_eq!(cache.get(&TWO), None);
    fs::copy(cache.path(&ONE), other.path(&ONE)).unwrap();
    assert_eq!(other.get(&ONE), None);
}

#[test]
fn links_and_files_that_others_can_write_are_not_believed() {
    let (_dir, cache) = folder();
    cache.put(&ONE, &code("one")).unwrap();
    let path = cache.path(&ONE);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(cache.get(&ONE), None);
    cache.put(&ONE, &code("one")).unwrap();
    fs::rename(&path, cache.path(&TWO)).unwrap();
    std::os::unix::fs::symlink(cache.path(&TWO), &path).unwrap();
    assert_eq!(cache.get(&ONE), None);
}

#[test]
fn a_damaged_key_is_made_again() {
    let (dir, cache) = folder();
    cache.put(&ONE, &code("one")).unwrap();
    fs::write(cache.folder.join("key"), "short").unwrap();
    let again = CodeCache::open(&dir.path().join("deep/cache")).unwrap();
    assert_eq!(again.get(&ONE), None);
    again.put(&ONE, &code("one")).unwrap();
    assert_eq!(again.get(&ONE), Some(code("one")));
}

#[test]
fn the_least_recently_used_code_goes_first() {
    let (_dir, cache) = folder();
    cache.put(&ONE, &code(&"x".repeat(1000))).unwrap();
    cache.put(&TWO, &code(&"y".repeat(1000))).unwrap();
    let old = SystemTime::now() - std::time::Duration::from_secs(60);
    File::open(cache.path(&ONE)).unwrap().set_modified(old).unwrap();
    cache.prune(1500);
    assert!(!cache.path(&ONE).exists() && cache.path(&TWO).exists());
}
