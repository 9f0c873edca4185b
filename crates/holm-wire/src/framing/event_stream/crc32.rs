//! The CRC-32 checksum of Ethernet, zip and gzip (reflected polynomial `0xEDB88320`).
//! `framing/event_stream.rs` checks messages with it.

/// Four tables: entry `i` of table `k` is the checksum of byte `i` followed by `k` zeros. Four
/// bytes per step keep the check much cheaper than parsing the data it protects.
static TABLES: [[u32; 256]; 4] = tables();

/// The checksum of some bytes.
///
/// ```
/// use holm_wire::framing::event_stream::crc32;
///
/// assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
/// ```
pub fn crc32(bytes: &[u8]) -> u32 {
    let [zero, one, two, three] = &TABLES;
    // A byte is always an index into a table of 256, so the fallback is never used.
    let at = |table: &[u32; 256], byte: u8| table.get(usize::from(byte)).copied().unwrap_or_default();
    let (words, rest) = bytes.as_chunks::<4>();
    let mut sum = u32::MAX;
    for word in words {
        let [a, b, c, d] = (sum ^ u32::from_le_bytes(*word)).to_le_bytes();
        sum = at(three, a) ^ at(two, b) ^ at(one, c) ^ at(zero, d);
    }
    for byte in rest {
        let [low, ..] = sum.to_le_bytes();
        sum = at(zero, low ^ byte) ^ (sum >> 8);
    }
    !sum
}

#[expect(clippy::cast_possible_truncation, reason = "evaluated by the compiler; the index is below 256")]
const fn tables() -> [[u32; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    let mut index = 0;
    while index < 256 {
        let mut sum = index as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        tables[0][index] = sum;
        index += 1;
    }
    let mut table = 1;
    while table < 4 {
        let mut index = 0;
        while index < 256 {
            let before = tables[table - 1][index];
            tables[table][index] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            index += 1;
        }
        table += 1;
    }
    tables
}
