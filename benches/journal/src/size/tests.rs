use super::all;
use crate::{keepers::Way, lines::lines};

#[test]
fn a_file_takes_its_lines_and_a_database_more() {
    let sizes = all(&lines(200));
    assert_eq!(sizes.iter().map(|size| size.system).collect::<Vec<_>>(), Way::ALL.map(Way::name));
    for size in &sizes {
        assert_eq!(size.records, 200);
        assert!(size.record_bytes >= size.line_bytes, "{size:?}");
    }
    let file = sizes.iter().find(|size| size.system == Way::File.name()).expect("it was measured");
    assert_eq!(file.record_bytes, file.line_bytes);
}
