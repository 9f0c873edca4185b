use super::Sponge;

fn of(bytes: &[u8]) -> u64 {
    let mut sponge = Sponge::default();
    sponge.absorb(bytes);
    sponge.value()
}

#[test]
fn every_byte_counts() {
    let plain = [b'a'; 29];
    for place in 0..plain.len() {
        let mut other = plain;
        other[place] = b'b';
        assert_ne!(of(&plain), of(&other), "byte {place}");
    }
}

#[test]
fn the_length_counts() {
    assert_ne!(of(b""), of(b"\0"));
    assert_ne!(of(b"abcdefgh"), of(b"abcdefgh\0"));
}
