#![no_std]
#![doc = "placeholder"]
extern crate alloc;
