use super::*;

#[test]
fn memories_are_charged_together_and_the_peak_stays() {
    let mut meter = MemoryMeter::new(&GuestLimits { memory: 100, ..GuestLimits::default() });
    assert!(meter.memory_growing(0, 60, None).unwrap());
    assert!(!meter.memory_growing(0, 60, None).unwrap());
    assert!(meter.memory_growing(0, 40, None).unwrap());
    assert!(!meter.memory_growing(60, 61, None).unwrap());
    assert_eq!((meter.peak_memory(), meter.refused()), (100, Some(RefusedGrowth::Memory)));
}

#[test]
fn tables_have_a_limit_of_their_own() {
    let mut meter = MemoryMeter::new(&GuestLimits { table_elements: 10, ..GuestLimits::default() });
    assert!(meter.table_growing(0, 10, None).unwrap());
    assert_eq!(meter.refused(), None);
    assert!(!meter.table_growing(10, 11, None).unwrap());
    assert_eq!(meter.refused(), Some(RefusedGrowth::Table));
}
